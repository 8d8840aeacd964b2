// The difference of two actions as a JSON Merge Patch (RFC 7396), and as lines that a reviewer reads.

type JsonObject = Record<string, unknown>;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Members in one order, so that equal values have equal texts. */
function toText(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    isObject(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}

const isSame = (a: unknown, b: unknown): boolean => toText(a) === toText(b);

/** Returns the patch that makes `after` of `before`; a member that goes is null in it. */
export function createMergePatch(before: JsonObject, after: JsonObject): JsonObject {
  const removed = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  const changed = Object.entries(after).filter(
    ([name, value]) => !Object.hasOwn(before, name) || !isSame(before[name], value),
  );
  return Object.fromEntries([
    ...removed.map((name) => [name, null] as const),
    ...changed.map(([name, value]) => {
      const earlier = before[name];
      const isNested = isObject(earlier) && isObject(value);
      return [name, isNested ? createMergePatch(earlier, value) : value] as const;
    }),
  ]);
}

export interface Change {
  path: string;
  /** Undefined: it was not there. */
  before: unknown;
  /** Undefined: it goes. */
  after: unknown;
}

export function listChanges(before: unknown, after: unknown, path = ''): Change[] {
  if (isSame(before, after)) return [];
  if (!isObject(before) || !isObject(after)) return [{ path: path || 'action', before, after }];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name) =>
    listChanges(before[name], after[name], path === '' ? name : `${path}.${name}`),
  );
}

/** A patch means removal by null, so it cannot set a member to null, nor add an object that has one; null: none does. */
function findNewNull(changes: readonly Change[]): string | null {
  for (const { path, after } of changes) {
    if (after === null) return path;
    const members = isObject(after) ? Object.entries(after) : [];
    const found = findNewNull(
      members.map(([name, value]) => ({
        path: `${path}.${name}`,
        before: undefined,
        after: value,
      })),
    );
    if (found !== null) return found;
  }
  return null;
}

interface Edited {
  /** What the API takes as `edits`; null: nothing is changed, or the text is no action. */
  edits: JsonObject | string | null;
  changes: Change[];
  problem: string | null;
}

const refuse = (problem: string): Edited => ({ edits: null, changes: [], problem });

function parseObject(text: string): JsonObject | string {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : 'The action must stay an object';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Reads what a reviewer made of an action. */
export function readEdits(action: unknown, text: string): Edited {
  if (!isObject(action)) {
    if (text.trim() === '') return refuse('The action must say something');
    const changes = listChanges(action, text);
    return { edits: changes.length > 0 ? text : null, changes, problem: null };
  }
  const edited = parseObject(text);
  if (typeof edited === 'string') return refuse(edited);
  const changes = listChanges(action, edited);
  const unsettable = findNewNull(changes);
  if (unsettable !== null)
    return refuse(`${unsettable}: cannot be set to null; take it away instead`);
  return {
    edits: changes.length > 0 ? createMergePatch(action, edited) : null,
    changes,
    problem: null,
  };
}
