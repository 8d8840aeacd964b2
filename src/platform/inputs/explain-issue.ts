// Explains validation errors in the words of the interface: states what value would be valid.
import { z } from 'zod';
import { truncate } from '@assay/json';

type RawIssue = Parameters<z.core.$ZodErrorMap>[0];
type IssueText = Pick<z.core.$ZodIssue, 'path' | 'message'>;

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  bigint: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  null: 'null',
  date: 'a date',
};

const FORMATS: Readonly<Record<string, string>> = {
  datetime: 'an ISO 8601 date and time with its time zone, such as 2026-03-01T10:00:00Z',
  date: 'an ISO 8601 date, such as 2026-03-01',
  time: 'an ISO 8601 time, such as 10:00:00',
  duration: 'an ISO 8601 duration, such as PT15M',
  email: 'an e-mail address, such as ada@example.com',
  url: 'a URL, such as https://example.com/path',
  uuid: 'a UUID, such as 123e4567-e89b-42d3-a456-426614174000',
  ipv4: 'an IPv4 address, such as 192.0.2.1',
  ipv6: 'an IPv6 address, such as 2001:db8::1',
  cidrv4: 'a range of IPv4 addresses, such as 192.0.2.0/24',
  cidrv6: 'a range of IPv6 addresses, such as 2001:db8::/32',
  base64: 'base64, such as aGVsbG8=',
  base64url: 'base64url, such as aGVsbG8',
  json_string: 'a text of JSON, such as {"a":1}',
};

/** Descriptions of patterns that many members share; others have their own message. */
const PATTERNS: ReadonlyMap<string, string> = new Map([
  ['/^[0-9a-fA-F]{24}$/', 'an id: 24 hexadecimal digits, such as 65f000000000000000000001'],
  ['/^[0-9a-f]{64}$/', 'a SHA-256: 64 lower-case hexadecimal digits'],
]);

const UNITS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ['character', 'characters'],
  array: ['element', 'elements'],
  set: ['element', 'elements'],
  map: ['member', 'members'],
  object: ['member', 'members'],
  record: ['member', 'members'],
};

const MAX_SHOWN_VALUES = 30;
const MAX_NAME_LENGTH = 100;

/** Usage: `schema.safeParse(value, { error: explainIssue })`. Messages of the schema itself take precedence. */
export const explainIssue: z.core.$ZodErrorMap = (issue) => {
  const expectation = describeExpected(issue);
  return issue.input === undefined && isOfValue(issue)
    ? `is missing: it ${expectation}`
    : expectation;
};

/** Whether the message describes the whole value, so that it also fits a missing one. */
const isOfValue = ({ code }: RawIssue): boolean =>
  code === 'invalid_type' || code === 'invalid_value' || code === 'invalid_union';

function describeExpected(issue: RawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.expected === 'never' ? 'must be left out' : `must be ${describeType(issue)}`;
    case 'invalid_value':
      return `must be ${describeChoices(issue.values)}`;
    case 'too_small':
      return describeSize(issue, { limit: issue.minimum, words: ['at least', 'greater than'] });
    case 'too_big':
      return describeSize(issue, { limit: issue.maximum, words: ['at most', 'less than'] });
    case 'invalid_format':
      return describeFormat(issue);
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return describeUnknownMembers(issue);
    case 'invalid_key':
      return `has a member whose name is not allowed: it ${getFirstMessage(issue.issues)}`;
    case 'invalid_element':
      return `has an invalid element: it ${getFirstMessage(issue.issues)}`;
    case 'invalid_union':
      return describeAlternatives(issue);
    default:
      return 'is not allowed';
  }
}

const describeType = ({ expected, inst }: Extract<RawIssue, { code: 'invalid_type' }>): string =>
  expected === 'number' && inst instanceof z.ZodNumberFormat
    ? 'a whole number'
    : (TYPES[expected] ?? expected);

function describeChoices(values: readonly unknown[]): string {
  const shown = values.slice(0, MAX_SHOWN_VALUES).map(String).join(', ');
  if (values.length === 1) return shown;
  const further = values.length - MAX_SHOWN_VALUES;
  return `one of ${shown}${further > 0 ? ` and ${further} more` : ''}`;
}

interface Size {
  limit: number | bigint;
  /** Words for an inclusive and for an exclusive limit. */
  words: readonly [inclusive: string, exclusive: string];
}

function describeSize(
  { origin, inclusive, exact }: { origin: string; inclusive?: boolean; exact?: boolean },
  { limit, words }: Size,
): string {
  const [including, excluding] = words;
  const bound = inclusive === false ? excluding : including;
  const units = UNITS[origin];
  if (!units) return `must be ${bound} ${formatLimit(origin, limit)}`;
  if (limit === 1 && including === 'at least' && !exact) return 'must not be empty';
  return `must have ${exact ? 'exactly' : bound} ${limit} ${units[Number(limit) === 1 ? 0 : 1]}`;
}

const formatLimit = (origin: string, limit: number | bigint): string =>
  origin === 'date' ? new Date(Number(limit)).toISOString() : String(limit);

function describeFormat(issue: Extract<RawIssue, { code: 'invalid_format' }>): string {
  const { format, prefix, suffix, includes, pattern } = issue as typeof issue & Affixes;
  if (format === 'starts_with') return `must begin with ${prefix}`;
  if (format === 'ends_with') return `must end with ${suffix}`;
  if (format === 'includes') return `must contain ${includes}`;
  const known = format === 'regex' ? PATTERNS.get(pattern ?? '') : FORMATS[format];
  return known === undefined ? `must match ${pattern ?? format}` : `must be ${known}`;
}
interface Affixes {
  prefix?: string;
  suffix?: string;
  includes?: string;
  pattern?: string;
}

function describeUnknownMembers({
  keys,
  inst,
}: Extract<RawIssue, { code: 'unrecognized_keys' }>): string {
  const shown = keys.slice(0, MAX_SHOWN_VALUES).map((key) => truncate(key, MAX_NAME_LENGTH));
  const known = inst instanceof z.ZodObject ? Object.keys(inst.shape) : [];
  const allowed = known.length === 0 ? 'none is known here' : `known are: ${known.join(', ')}`;
  return `unknown ${shown.length === 1 ? 'member' : 'members'} ${shown.join(', ')}; ${allowed}`;
}

const getFirstMessage = (issues: readonly Pick<IssueText, 'message'>[]): string =>
  issues[0]?.message ?? 'is not allowed';

type Union = Extract<RawIssue, { code: 'invalid_union' }>;

function describeAlternatives(issue: Union): string {
  const { options } = issue as { options?: readonly unknown[] };
  if (options) return `must be ${describeChoices(options)}`;
  const texts = (issue.errors ?? []).flatMap(([first]) => (first ? [describe(first)] : []));
  return [...new Set(texts)].join(', or ').replaceAll(', or must be ', ' or ') || 'is not allowed';
}

const describe = ({ path, message }: IssueText): string =>
  path.length === 0 ? message : `with ${path.join('.')} that ${message}`;

/** Returns the issues of the only union alternative whose value has the right type; otherwise the union's own issue. */
export function flattenIssue(issue: z.core.$ZodIssue): IssueText[] {
  const matching = issue.code === 'invalid_union' ? findMatchingBranch(issue.errors) : undefined;
  if (!matching) return [issue];
  return matching
    .flatMap(flattenIssue)
    .map(({ path, message }) => ({ path: [...issue.path, ...path], message }));
}

function findMatchingBranch(
  branches: readonly z.core.$ZodIssue[][],
): z.core.$ZodIssue[] | undefined {
  const [only, ...others] = branches.filter((issues) => issues.every(isInside));
  return others.length === 0 ? only : undefined;
}

/** Whether the value itself has the right type, so that the issue is about its contents. */
const isInside = ({ path, code }: z.core.$ZodIssue): boolean =>
  path.length > 0 || !(code === 'invalid_type' || code === 'invalid_value');
