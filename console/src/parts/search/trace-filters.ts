// From the parts of a search line to the query of the API.
import { findNextNumber } from './next-number.ts';
import type { FieldPart, SearchPart, TextPart } from './search-line.ts';
import { findRepetitions } from './search-slots.ts';
import { readDuration, toTime } from './search-times.ts';

/** What `GET /traces` is asked by. */
export interface TraceFilters {
  status?: 'approved' | 'flagged' | 'blocked';
  agentId?: string;
  sessionId?: string;
  policyId?: string;
  tool?: string;
  tag?: string;
  workspaceId?: string;
  decidedBy?: 'policy' | 'person' | 'undecided';
  humanOverride?: 'true' | 'false';
  observed?: 'true' | 'false';
  minAmount?: number;
  maxAmount?: number;
  minConfidence?: number;
  maxConfidence?: number;
  heldSeconds?: number;
  dateFrom?: string;
  dateTo?: string;
  text?: string;
}

/** Ids by name of what a line names; null: the names are not known yet. */
export interface KnownNames {
  policies: ReadonlyMap<string, string> | null;
  workspaces: ReadonlyMap<string, string> | null;
}

export interface Translation {
  filters: TraceFilters;
  /** Why a part cannot be searched, by part. */
  faults: ReadonlyMap<SearchPart, string>;
  /** Whether names are still looked up. */
  isWaiting: boolean;
}

/** As many characters as the service takes. */
const TEXT_MAX = 500;
const ID = /^[0-9a-f]{24}$/;

/** Spans stay as they are written, until they are asked for: `resolveTimes`. */
export function translateParts(parts: readonly SearchPart[], known: KnownNames): Translation {
  const faults = new Map(findRepetitions(parts));
  const filters: TraceFilters = {};
  let isWaiting = false;
  for (const part of parts) {
    if (part.kind === 'fault') faults.set(part, part.message);
    if (part.kind !== 'field' || faults.has(part)) continue;
    const named = lookUpName(part, known);
    if (named === null) isWaiting = true;
    else if (named === undefined) faults.set(part, describeUnknown(part));
    else Object.assign(filters, toFilter({ ...part, value: named }));
  }
  const texts = parts.filter((part) => part.kind === 'text');
  const first = texts[0];
  const fault = findTextFault(texts);
  if (first && fault !== null) faults.set(first, fault);
  if (first) filters.text = printTexts(texts);
  return { filters, faults, isWaiting };
}

/** Whether a part means a policy or a workspace by its name: the service knows ids. */
export const isNamed = (part: SearchPart, field: 'policy' | 'workspace'): boolean =>
  part.kind === 'field' && part.field === field && !ID.test(part.value);

/** Filters as the service takes them: spans go back from now. */
export const resolveTimes = (filters: TraceFilters, now: number): TraceFilters => ({
  ...filters,
  ...(filters.dateFrom !== undefined && { dateFrom: toTime(filters.dateFrom, now) }),
  ...(filters.dateTo !== undefined && { dateTo: toTime(filters.dateTo, now) }),
});

/** The id of what a part names, or its value; null: not known yet, undefined: there is none. */
function lookUpName(part: FieldPart, known: KnownNames): string | null | undefined {
  const { value } = part;
  const isOfPolicy = isNamed(part, 'policy');
  if (!isOfPolicy && !isNamed(part, 'workspace')) return value;
  const names = isOfPolicy ? known.policies : known.workspaces;
  return names === null ? null : (names.get(value) ?? names.get(value.toLowerCase()));
}

const describeUnknown = ({ field, value }: FieldPart): string =>
  `There is no ${field} called ${value}: choose one that is suggested, or give its id`;

function toFilter(part: FieldPart): TraceFilters {
  const { field, value } = part;
  switch (field) {
    case 'status':
      return { status: value === 'held' ? 'flagged' : (value as 'approved' | 'blocked') };
    case 'by':
      return { decidedBy: value as 'policy' | 'person' | 'undecided' };
    case 'corrected':
      return { humanOverride: toSwitch(value) };
    case 'observed':
      return { observed: toSwitch(value) };
    case 'held':
      return { heldSeconds: readDuration(value) ?? 0 };
    case 'amount':
      return toRange(part, 'minAmount', 'maxAmount');
    case 'confidence':
      return toRange(part, 'minConfidence', 'maxConfidence');
    default:
      return { [PLAIN[field]]: value };
  }
}

const PLAIN = {
  since: 'dateFrom',
  until: 'dateTo',
  agent: 'agentId',
  policy: 'policyId',
  session: 'sessionId',
  tag: 'tag',
  tool: 'tool',
  workspace: 'workspaceId',
} as const;

const toSwitch = (value: string): 'true' | 'false' => (value === 'yes' ? 'true' : 'false');

/** The service includes both ends: without its end, a range stops at the number beside it. */
function toRange<L extends string, M extends string>(
  { operator, value }: FieldPart,
  least: L,
  most: M,
): Partial<Record<L | M, number>> {
  const number = Number(value);
  const low = { [least]: operator === '>' ? findNextNumber(number, 1) : number };
  const high = { [most]: operator === '<' ? findNextNumber(number, -1) : number };
  const ends = {
    ...(!operator.startsWith('<') && low),
    ...(!operator.startsWith('>') && high),
  };
  return ends as Partial<Record<L | M, number>>;
}

function findTextFault(texts: readonly TextPart[]): string | null {
  if (texts.length > 0 && texts.every(({ isWithout }) => isWithout))
    return 'Only what is left out stands here: add a word that decisions have';
  return printTexts(texts).length > TEXT_MAX
    ? `All words together have ${TEXT_MAX} characters at most: leave some out`
    : null;
}

/** As the service reads words: it knows quotes, and nothing that stands for them. */
const printTexts = (texts: readonly TextPart[]): string =>
  texts
    .map(({ text, isWithout }) => {
      const plain = text.replaceAll('"', ' ').trim();
      const isWord = /^[^\s-]\S*$/.test(plain);
      return `${isWithout ? '-' : ''}${isWord ? plain : `"${plain}"`}`;
    })
    .join(' ');
