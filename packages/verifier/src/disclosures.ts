// Matches disclosures with the commitments of a view, and collects the values that they show.
import { toCanonicalJson, isAscending, isHex64, parse, hashSha256, Unreadable } from './text.ts';
import type { Value } from './text.ts';

/** The shown part of one committed value. */
export interface Shown {
  /** Nothing below is withheld. */
  whole: boolean;
  /** The closed nodes, by JSON Pointer below the name. */
  values: { path: string; value: Value }[];
}

/** A commitment without its disclosure so far. */
interface Slot {
  top: string;
  /** Path of the parent node; null at the top level. */
  parent: string | null;
  /** Null: the key of an object's member, which only its disclosure shows. */
  name: string | number | null;
  /** Keys of the same object that are already shown. */
  siblings: Set<string>;
  /** Containers around it within the value. */
  depth: number;
}

/** As many as a value has at most, and some. */
const DEPTH_MAX = 40;

const SALT = /^[A-Za-z0-9_-]{21}[AQgw]$/;

/**
 * Matches disclosures, parents before children, with the commitments of their view.
 * @throws Unreadable for a disclosure that is not canonical, unmatched, misnamed or duplicated
 */
export function matchDisclosures(
  commitments: { [name: string]: string },
  disclosures: string[],
): Map<string, Shown> {
  const slots = new Map<string, Slot>();
  for (const [name, commitment] of Object.entries(commitments)) {
    slots.set(commitment, { top: name, parent: null, name, siblings: new Set(), depth: 0 });
  }
  const openChildren = new Map<string, number>();
  const shown = new Map<string, Shown>();
  for (const text of disclosures) {
    const digest = hashSha256(text);
    const slot = slots.get(digest);
    if (!slot) throw new Unreadable('a disclosure matches no commitment, or is duplicated');
    slots.delete(digest);
    const node = readNode(text, slot);
    for (const [child, below] of node.children) {
      if (slots.has(child)) throw new Unreadable('a disclosure lists a commitment twice');
      slots.set(child, below);
    }
    const open = (openChildren.get(slot.top) ?? 1) - 1 + node.children.length;
    openChildren.set(slot.top, open);
    const values = shown.get(slot.top)?.values ?? [];
    if (node.value !== undefined) values.push({ path: node.path, value: node.value });
    shown.set(slot.top, { whole: open === 0, values });
  }
  return shown;
}

interface Node {
  path: string;
  /** Absent when the node is opened. */
  value?: Value;
  children: [string, Slot][];
}

function readNode(text: string, slot: Slot): Node {
  const array = parse(text);
  if (!Array.isArray(array) || toCanonicalJson(array) !== text)
    throw new Unreadable('a disclosure is not canonical JSON');
  const [salt, name, value, children] = array;
  if (typeof salt !== 'string' || !SALT.test(salt))
    throw new Unreadable('a disclosure has no salt');
  const path = derivePointer(name, slot);
  if (array.length === 3) return { path, value: value as Value, children: [] };
  if (array.length !== 4 || !isChildren(value, children))
    throw new Unreadable('a disclosure has an unknown shape');
  if (slot.depth === DEPTH_MAX) throw new Unreadable('disclosures are nested too deeply');
  const siblings = new Set<string>();
  const below = { top: slot.top, parent: path, siblings, depth: slot.depth + 1 };
  return {
    path,
    children: children.map((child, i) => [child, { ...below, name: value === 'array' ? i : null }]),
  };
}

/** The JSON Pointer of a node below the top-level name. @throws Unreadable when its name does not match */
function derivePointer(
  name: Value | undefined,
  { name: expected, parent, siblings }: Slot,
): string {
  const matches =
    expected === null ? typeof name === 'string' && !siblings.has(name) : name === expected;
  if (!matches) throw new Unreadable('a disclosure has the wrong name');
  siblings.add(name as string);
  return parent === null
    ? ''
    : `${parent}/${String(name).replace(/~/g, '~0').replace(/\//g, '~1')}`;
}

function isChildren(kind: Value | undefined, children: Value | undefined): children is string[] {
  if (!Array.isArray(children) || children.length === 0 || !children.every(isHex64)) return false;
  return kind === 'array' || (kind === 'object' && isAscending(children as string[]));
}
