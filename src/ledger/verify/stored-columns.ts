// Checks the columns of an entry that never change against its payload and its committed values.
import { isDeepStrictEqual } from 'node:util';
import type { Payload } from '../../domain/record/payload.ts';
import type { ColumnPayload, Columns } from '../columns.ts';
import { sealedOf, type Stored } from '../entry.ts';

/** The names of the columns that differ. */
export function differingColumns(entry: Stored, payload: Payload, columns: Columns): string[] {
  const differing: string[] = [];
  const after = 'after' in payload ? payload.after : null;
  if (entry.organizationId?.toHexString() !== payload.organizationId)
    differing.push('organizationId');
  if (differs(entry.kind, payload.kind)) differing.push('kind');
  if (differs(entry.traceId, payload.traceId)) differing.push('traceId');
  if (differs(entry.after, after?.sequence ?? null)) differing.push('after');
  if (!hasColumns(payload, columns)) return differing;
  const source = { entry, payload, value: valuesOf(entry) };
  for (const [name, column] of columns.fixed)
    if (differs(entry[name], column.from(source))) differing.push(name);
  return differing;
}

/** Whether a member is not what it has to be; undefined: nothing is known. Absent and null are the same. */
export function differs(actual: unknown, expected: unknown): boolean {
  if (expected === undefined) return false;
  if (typeof expected !== 'object' || expected === null) return (actual ?? null) !== expected;
  return !isDeepStrictEqual(actual, expected);
}

function hasColumns(payload: Payload, { kind }: Columns): payload is ColumnPayload {
  return payload.kind === kind;
}

/** Reads committed values, each parsed once. */
function valuesOf(entry: Stored): <V>(name: string) => V | undefined {
  const sealed = sealedOf(entry);
  const parsed = new Map<string, unknown>();
  return <V>(name: string) => {
    if (!parsed.has(name)) parsed.set(name, parsedText(sealed[name]?.text) ?? undefined);
    return parsed.get(name) as V | undefined;
  };
}

/** The value of a stored text; null for none, undefined for one that is not readable. */
export function parsedText(text: string | null | undefined): unknown {
  if (typeof text !== 'string') return text;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A member of a document, or a member of a member. */
export function memberAt(document: Readonly<Record<string, unknown>>, path: string): unknown {
  const dot = path.indexOf('.');
  if (dot < 0) return document[path];
  const member = document[path.slice(0, dot)] as
    | Readonly<Record<string, unknown>>
    | null
    | undefined;
  return member?.[path.slice(dot + 1)];
}
