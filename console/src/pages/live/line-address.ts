// The search line in the address of the page: `q`, and single fields as links have them.
import type { FieldName } from '../../parts/search/search-fields.ts';
import {
  parseLine,
  printLine,
  printPart,
  type SearchPart,
} from '../../parts/search/search-line.ts';

const FIELDS = {
  status: 'status',
  agent: 'agent',
  session: 'session',
  policy: 'policy',
  tool: 'tool',
  from: 'since',
  to: 'until',
} as const satisfies Record<string, FieldName>;

export type LineAddress = Partial<Record<keyof typeof FIELDS | 'q', string>>;

/** The line that an address stands for. */
export function readAddress(address: LineAddress): string {
  const named = Object.entries(FIELDS).flatMap(([name, field]) => {
    const value = address[name as keyof typeof FIELDS];
    return value === undefined ? [] : [printPart({ kind: 'field', field, operator: ':', value })];
  });
  return printLine(parseLine([...named, address.q ?? ''].join(' ')));
}

export function toAddress(parts: readonly SearchPart[]): LineAddress {
  return parts.length === 0 ? {} : { q: printLine(parts) };
}
