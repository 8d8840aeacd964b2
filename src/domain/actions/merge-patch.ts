// JSON Merge Patch (RFC 7396): how a reviewer edits an action, and how the agent applies the edits to its own.
import type { Json, JsonObject } from '../record/json.ts';

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

function isMembers(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
