// JSON Merge Patch (RFC 7396): how a reviewer edits an action, and how the agent applies the edits to its own.
import { type Json, type JsonObject, formatPointer } from '@assay/json';

/** A new value: members of the patch replace those of the target, null removes, and objects are merged. */
export function applyMergePatch(target: Json, patch: Json): Json {
  if (!isMembers(patch)) return patch;
  const merged = new Map(isMembers(target) ? Object.entries(target) : []);
  for (const [name, change] of Object.entries(patch)) {
    if (change === null) merged.delete(name);
    else merged.set(name, applyMergePatch(merged.get(name) ?? null, change));
  }
  return Object.fromEntries(merged);
}

/**
 * Finds a null in an object that a patch adds: it reads as a value, and the patch leaves the member out. Returns its JSON
 * Pointer; null: there is none.
 */
export function findLostNull(target: Json, patch: Json, path: string[] = []): string | null {
  if (!isMembers(patch)) return null;
  for (const [name, change] of Object.entries(patch)) {
    const at = [...path, name];
    if (change === null && !isMembers(target)) return formatPointer(at);
    const known = isMembers(target) && Object.hasOwn(target, name) ? target[name] : undefined;
    const lost = findLostNull(known ?? null, change, at);
    if (lost !== null) return lost;
  }
  return null;
}

function isMembers(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
