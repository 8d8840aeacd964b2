// Checks the columns of an entry that never change against its payload and its committed values.
import { isDeepStrictEqual } from 'node:util';
import type { Payload } from '../../domain/record/payload.ts';
import type { ColumnPayload, Columns } from '../columns.ts';
import { sealedOf, type Stored } from '../entry.ts';

type Members = Readonly<Record<string, unknown>>;

/** The names of the columns that differ; absent and null are the same. */
export function differingColumns(entry: Stored, payload: Payload, columns: Columns): string[] {
  const after = 'after' in payload ? payload.after : null;
  const differing = differences(entry, {
    kind: payload.kind,
    traceId: payload.traceId,
    after: after?.sequence ?? null,
    ...(hasColumns(payload, columns) ? fixedValues(entry, payload, columns) : {}),
  });
  if (entry.organizationId?.toHexString() !== payload.organizationId)
    differing.push('organizationId');
  return differing;
}

/** The paths at which `actual` differs from `expected`; undefined: no value is expected. */
export function differences(actual: Members, expected: Members): string[] {
  return Object.keys(expected).filter((path) => {
    const value = expected[path];
    return value !== undefined && !isSame(memberAt(actual, path), value);
  });
}

function hasColumns(payload: Payload, { kind }: Columns): payload is ColumnPayload {
  return payload.kind === kind;
}

function fixedValues(entry: Stored, payload: ColumnPayload, { fixed }: Columns): Members {
  const value = valuesOf(entry);
  return Object.fromEntries(
    fixed.map(([name, column]) => [name, column.from({ entry, payload, value })]),
  );
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

function memberAt(document: Members, path: string): unknown {
  const dot = path.indexOf('.');
  if (dot < 0) return document[path];
  const inner = document[path.slice(0, dot)] as Members | null | undefined;
  return inner?.[path.slice(dot + 1)];
}

function isSame(actual: unknown, expected: unknown): boolean {
  if (typeof expected !== 'object' || expected === null) return (actual ?? null) === expected;
  return isDeepStrictEqual(actual, expected);
}
