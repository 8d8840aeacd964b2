// The facts that policies judge: the submitted decision, and members derived from it for conditions that no path could express.
import type { Json, JsonObject } from '../record/json.ts';
import { parseSafeJson } from '../record/safe-json.ts';
import { amountsIn } from './amounts.ts';

/** What is known when a decision is judged. */
export interface PolicyFacts {
  /** The members of the submitted decision, before scrubbing. */
  submitted: JsonObject;
  /** The moment of judgement, by the server's clock. */
  at: Date;
  confidenceScore: number;
  tags: string[];
  /** Name of the resolved agent; null when the decision names none that is known. */
  agentName: string | null;
  /** Kinds of personal data found, such as `EMAIL`: anywhere, and in `outputDecision`. */
  pii: { types: string[]; outputTypes: string[] };
}

/**
 * The facts of one decision (docs/policies.md lists them), of those members only that somebody looks at, as `reads` says. Derived
 * members win over submitted ones of the same name.
 */
export function factsOf(
  { submitted, at, agentName, confidenceScore, tags, pii }: PolicyFacts,
  reads: (member: string) => boolean = () => true,
): JsonObject {
  const facts: JsonObject = {};
  for (const name of Object.keys(submitted)) if (reads(name)) facts[name] = submitted[name] as Json;
  facts.agentName = agentName;
  facts.confidenceScore = confidenceScore;
  facts.tags = tags;
  facts.pii = pii;
  if (reads('time')) facts.time = timeOf(at);
  return reads('action') || reads('output') ? Object.assign(facts, derivedFrom(submitted)) : facts;
}

function timeOf(at: Date): JsonObject {
  return { hourUtc: at.getUTCHours(), weekdayUtc: at.getUTCDay() || 7, instant: at.toISOString() };
}

function derivedFrom({ outputDecision = null, rationale = null }: JsonObject): {
  action: Json;
  output: Json;
} {
  const texts = stringsIn(outputDecision);
  const rationaleLength = lengthOf(member(outputDecision, 'rationale') ?? rationale);
  return {
    action: actionFacts(outputDecision, texts),
    output: { text: texts.join('\n'), rationaleLength },
  };
}

function actionFacts(output: Json, texts: readonly string[]): JsonObject {
  const action = member(output, 'action') ?? null;
  const further = member(output, 'toolCalls') ?? null;
  const calls = [action, ...(Array.isArray(further) ? further : [])].filter(
    (call) => typeof call === 'object',
  );
  const tools = calls.flatMap(toolNames);
  const opened = calls.map(unfold);
  const amounts = amountsIn(opened);
  return {
    names: (typeof action === 'string' ? [action, ...tools] : tools).map(snakeCase),
    isToolCall: tools.length > 0,
    largestList: largest(opened.map(largestList)),
    recipientDomains: [...new Set(texts.flatMap(domainsIn))],
    ...(amounts.length === 0 ? {} : { largestAmount: largest(amounts), totalAmount: sum(amounts) }),
  };
}

/** The first of the customary members that holds a name; `function` may be an object of its own. */
function toolNames(call: Json): string[] {
  for (const key of ['tool', 'name', 'function', 'toolName', 'type']) {
    const value = member(call, key);
    if (typeof value === 'string') return [value];
    if (value !== undefined && toolNames(value).length > 0) return toolNames(value);
  }
  return [];
}

/** The value with every string that is the JSON of an object or array parsed, since many tools get their arguments as such text. */
function unfold(value: Json): Json {
  if (typeof value === 'string') return /^\s*[[{]/.test(value) ? parsed(value) : value;
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(unfold);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, unfold(item)]));
}

function parsed(text: string): Json {
  try {
    return parseSafeJson(text);
  } catch {
    return text;
  }
}

/** `deleteUser`, `Delete-User` and `Delete the user` as `delete_user` and `delete_the_user`. */
function snakeCase(name: string): string {
  const parted = name
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1_$2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1_$2');
  return parted
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_|_$/g, '');
}

/** Every string value inside, in document order; names of members are left out. */
function stringsIn(value: Json): string[] {
  if (typeof value === 'string') return [value];
  if (value === null || typeof value !== 'object') return [];
  return Object.values(value).flatMap(stringsIn);
}

function largestList(value: Json): number {
  if (value === null || typeof value !== 'object') return 0;
  const own = Array.isArray(value) ? value.length : 0;
  return Object.values(value).reduce<number>(
    (most, item) => Math.max(most, largestList(item)),
    own,
  );
}

const address = /[\w.+-]{1,64}@((?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24})\b/gi;

function domainsIn(text: string): string[] {
  return text.includes('@')
    ? [...text.matchAll(address)].map(([, domain = '']) => domain.toLowerCase())
    : [];
}

function member(value: Json | undefined, name: string): Json | undefined {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

function lengthOf(value: Json): number {
  return typeof value === 'string' ? value.trim().length : 0;
}

/** Of non-negative numbers; 0 when there are none. Too many would overflow the arguments of `Math.max`. */
function largest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), 0);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
