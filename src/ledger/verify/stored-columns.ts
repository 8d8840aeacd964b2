// Checks the fixed columns of an entry against its payload and committed values, and that it has no other members.
import { isDeepStrictEqual } from 'node:util';
import { listUnstored, type Payload } from '../../domain/record/payload.ts';
import { isAttestationKind } from '../../domain/record/payload-members.ts';
import { DECISIONS } from '../chains.ts';
import { KEYLESS } from '../contents/contents.ts';
import type { ColumnPayload, Columns, ReadValue } from '../columns.ts';
import { getCommittedValues, type Stored } from '../entry.ts';
import { parseStoredText } from './committed-values.ts';

/** Members of an entry of any kind. */
const MEMBERS: ReadonlySet<string> = new Set([
  '_id',
  'organizationId',
  'sequence',
  'kind',
  'traceId',
  'after',
  'prevHash',
  'payloadDigest',
  'chainHash',
  'createdAt',
  'view',
  'usage',
  'control',
  'spent',
  'session',
  'sealed',
  'generation',
]);
/** Additional members of a decision. */
const OF_DECISIONS: ReadonlySet<string> = new Set(['changed', 'foldedTo']);

/** Finds the members that differ from the payload, or that no entry of its kind has. */
export function findDifferingColumns(entry: Stored, payload: Payload, columns: Columns): string[] {
  const differing: string[] = [];
  const after = 'after' in payload ? payload.after : null;
  if (entry.organizationId?.toHexString() !== payload.organizationId)
    differing.push('organizationId');
  if (isDifferent(entry.kind, payload.kind)) differing.push('kind');
  if (isDifferent(entry.traceId, payload.traceId)) differing.push('traceId');
  if (isDifferent(entry.after, after?.sequence ?? null)) differing.push('after');
  differing.push(...Object.keys(entry).filter((name) => !isMember(name, payload, columns)));
  if (!hasColumns(payload, columns)) return differing;
  const source = { entry, payload, value: createValueReader(entry, payload) };
  for (const [name, column] of columns.fixed)
    if (isDifferent(entry[name], column.from(source))) differing.push(name);
  return differing;
}

/** Returns whether a member differs from what is expected; undefined expects nothing. Absent and null are the same. */
export function isDifferent(actual: unknown, expected: unknown): boolean {
  if (expected === undefined) return false;
  if (typeof expected !== 'object' || expected === null) return (actual ?? null) !== expected;
  return !isDeepStrictEqual(actual, expected);
}

function isMember(name: string, payload: Payload, columns: Columns): boolean {
  if (MEMBERS.has(name)) return true;
  if (payload.kind === 'trace' && OF_DECISIONS.has(name)) return true;
  if (name === DECISIONS.idempotencyField) return hasIdempotencyKey(payload);
  return hasColumns(payload, columns) && Object.hasOwn(columns.types, name);
}

/** Returns whether an entry may have an idempotency key. Its value cannot be checked: no entry records it. */
function hasIdempotencyKey({ kind }: Payload): boolean {
  return kind === 'trace' || isAttestationKind(kind);
}

function hasColumns(payload: Payload, { kind }: Columns): payload is ColumnPayload {
  return payload.kind === kind;
}

/** Creates a reader of committed values, which parses each value once. */
function createValueReader(entry: Stored, payload: Payload): ReadValue {
  const sealed = getCommittedValues(entry);
  const unstored = listUnstored(payload);
  const parsed = new Map<string, unknown>();
  const absent = KEYLESS in entry ? undefined : null;
  const readValue = (name: string): unknown =>
    unstored.includes(name) ? undefined : parseStoredText(sealed[name]?.text ?? absent);
  return <V>(name: string) => {
    if (!parsed.has(name)) parsed.set(name, readValue(name));
    return parsed.get(name) as V | null | undefined;
  };
}

/** Reads a member of a document, or a member of a member. */
export function readMember(document: Readonly<Record<string, unknown>>, path: string): unknown {
  const dot = path.indexOf('.');
  if (dot < 0) return document[path];
  const member = document[path.slice(0, dot)] as
    | Readonly<Record<string, unknown>>
    | null
    | undefined;
  return member?.[path.slice(dot + 1)];
}
