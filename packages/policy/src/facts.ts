// The facts that policies are evaluated on: the submitted decision, and derived members for what a path cannot express.
import { isJsonObject, type Json, type JsonObject, parseSafeJson } from '@assay/json';
import { findAmounts } from './amounts/amounts-in.ts';
import { toAmountFact, mayBeBounds, parseBounds, type Bounds } from './amounts/bounds.ts';
import { sumExactly } from './amounts/exact-sum.ts';
import { NO_PRINCIPAL, type PrincipalFacts } from './principal-facts.ts';
import type { StateFacts } from './tools/state-facts.ts';
import { toSnakeCase } from './tools/tool-words.ts';

/** The adapter of questions of access alone: their subject is no recipient, and no other decision says so. */
export const QUESTION_ADAPTER = 'authzen';

/** Whether the adapter of a decision is that of questions. */
export const isQuestionAdapter = (adapter: Json): boolean =>
  isJsonObject(adapter) && adapter['kind'] === QUESTION_ADAPTER;

/** The inputs from which the facts of a decision are derived. */
export interface PolicyFacts {
  /** The members of the submitted decision, before scrubbing. */
  submitted: JsonObject;
  /** The time of evaluation, by the server's clock. */
  at: Date;
  confidenceScore: number;
  tags: string[];
  /** Name of the resolved agent; null when the decision names no known one. */
  agentName: string | null;
  /** Types of personal data detected, such as `EMAIL`: anywhere, and in `outputDecision`. */
  pii: { types: string[]; outputTypes: string[] };
  /** Who acts, where a run token says so. */
  principal?: PrincipalFacts | undefined;
  /** What its tools do, and what its session did before; absent: nothing is known of either. */
  state?: StateFacts | undefined;
}

/**
 * The facts of one decision (policies.md lists them), limited to the members that some condition `reads`. Derived members
 * override submitted ones of the same name.
 */
export function deriveFacts(
  { submitted, at, agentName, confidenceScore, tags, pii, principal, state }: PolicyFacts,
  reads: (member: string) => boolean = () => true,
): JsonObject {
  const facts: JsonObject = {};
  for (const name of Object.keys(submitted)) if (reads(name)) facts[name] = submitted[name] as Json;
  facts.agentName = agentName;
  facts.confidenceScore = confidenceScore;
  facts.tags = tags;
  facts.pii = pii;
  if (reads('time')) facts.time = toTimeFacts(at);
  if (reads('principal')) facts.principal = { ...(principal ?? NO_PRINCIPAL) };
  if (reads('action') || reads('output')) Object.assign(facts, deriveActionAndOutput(submitted));
  if (state) addState(facts, state);
  return facts;
}

function addState(facts: JsonObject, { action, session }: StateFacts): void {
  facts.session = session;
  if (isJsonObject(facts.action ?? null)) Object.assign(facts.action as JsonObject, action);
}

/** Paths of the submitted decision that a derived fact is computed from; any other fact is its own source. */
export function listFactSources(field: string): readonly string[] {
  const [root = '', member] = field.split('.');
  if (field === 'output.rationaleLength') return ['rationale', 'outputDecision.rationale'];
  if (root === 'output') return ['outputDecision', 'rationale'];
  if (root !== 'action') return [field];
  if (mayBeBounds(field)) return ['outputDecision'];
  const isOfCalls = member !== undefined && member !== 'recipientDomains';
  return isOfCalls ? ['outputDecision.action', 'outputDecision.toolCalls'] : ['outputDecision'];
}

function toTimeFacts(at: Date): JsonObject {
  return { hourUtc: at.getUTCHours(), weekdayUtc: at.getUTCDay() || 7, instant: at.toISOString() };
}

function deriveActionAndOutput({
  outputDecision = null,
  rationale = null,
  adapter = null,
}: JsonObject): {
  action: Json;
  output: Json;
} {
  const texts = collectStrings(outputDecision);
  const rationaleLength = measureLength(getMember(outputDecision, 'rationale') ?? rationale);
  const addressed = isQuestionAdapter(adapter)
    ? collectStrings(omitSubject(outputDecision))
    : texts;
  return {
    action: deriveActionFacts(outputDecision, addressed),
    output: { text: texts.join('\n'), rationaleLength },
  };
}

/** A call of a tool. */
export interface Call {
  /** As `action.names` has it; null: the call has none. */
  name: string | null;
  /** The MCP server that has the tool; null: it says none. */
  server: string | null;
  /** What it is called with. */
  given: JsonObject;
  /** JSON pointer to that within the action; null: it is not the call of the action. */
  at: string | null;
}

/** The calls of an output. */
export function readCalls(output: Json): Call[] {
  const action = getMember(output, 'action') ?? null;
  const toolCalls = getMember(output, 'toolCalls') ?? [];
  return [...readEach(action, true), ...readEach(toolCalls, false)];
}

const readEach = (calls: Json, isAction: boolean): Call[] =>
  [calls].flat().flatMap((call) => (call === null ? [] : [readCall(call, isAction)]));

function readCall(call: Json, isAction: boolean): Call {
  const [name] = typeof call === 'string' ? [call] : findToolNames(call);
  const server = getMember(call, 'server');
  const { given, at } = readArguments(call);
  return {
    name: name === undefined ? null : toSnakeCase(name),
    server: typeof server === 'string' ? server : null,
    given,
    at: isAction ? at : null,
  };
}

/** The customary member with arguments, which may be JSON in a text, of the call or of its `function`. */
function readArguments(call: Json): { given: JsonObject; at: string } {
  const owners = [
    { owner: call, at: '' },
    { owner: getMember(call, 'function'), at: '/function' },
  ];
  for (const { owner, at } of owners)
    for (const key of ['arguments', 'args', 'input', 'parameters']) {
      const given = parseNested(getMember(owner, key) ?? null);
      if (isJsonObject(given)) return { given, at: `${at}/${key}` };
    }
  return { given: {}, at: '' };
}

/** The tools that an output calls, as `action.names` has them; null stands for a call without a name. */
export const listCalls = (output: Json): (string | null)[] =>
  readCalls(output).map(({ name }) => name);

/** What lists of decisions are filtered by. */
export interface ActionSummary {
  /** As `action.names` has them, of the action first. */
  names: string[];
  /** The highest reading of `action.totalAmount`, infinite where one is unreadable; null: it has no amount. */
  most: number | null;
}

/** Summarises an output, by the facts of policies. */
export function readActionSummary(output: Json): ActionSummary {
  const { names, totalAmount = null } = deriveActionFacts(output, []);
  const bounds = parseBounds(totalAmount);
  const most = bounds ? bounds.atMost : (totalAmount as number | null);
  return { names: names as string[], most };
}

/** Leaves out who asks whether it may act: that is no one whom the action reaches. */
function omitSubject(output: Json): Json {
  const action = getMember(output, 'action');
  if (!isJsonObject(output) || !isJsonObject(action) || !isJsonObject(action['subject'] ?? null))
    return output;
  const { subject: _subject, ...rest } = action;
  return { ...output, action: rest };
}

function deriveActionFacts(output: Json, texts: readonly string[]): JsonObject {
  const action = getMember(output, 'action') ?? null;
  const toolCalls = getMember(output, 'toolCalls') ?? null;
  const calls = [action, ...(Array.isArray(toolCalls) ? toolCalls : [])].filter(
    (call) => typeof call === 'object',
  );
  const tools = calls.flatMap((call) => findToolNames(call));
  const parsed = calls.map(parseNested);
  const amounts = findAmounts([...parsed, parseNested(pickLooseArguments(output))]);
  return {
    names: (typeof action === 'string' ? [action, ...tools] : tools).map(toSnakeCase),
    isToolCall: tools.length > 0,
    largestList: findLargest(parsed.map(measureLargestList)),
    recipientDomains: collectDomains(texts),
    ...deriveAmountFacts(amounts),
  };
}

/** When the action is plain text, the other members of the output count as its arguments. */
function pickLooseArguments(output: Json): Json {
  if (output === null || typeof output !== 'object' || Array.isArray(output)) return null;
  const others = Object.entries(output).filter(([name]) => !notArguments.has(name));
  return Object.fromEntries(others);
}

const notArguments = new Set(['action', 'toolCalls', 'alternatives', 'rationale', 'confidence']);

function deriveAmountFacts(amounts: readonly Bounds[]): JsonObject {
  if (amounts.length === 0) return {};
  const least = amounts.map(({ atLeast }) => atLeast);
  const most = amounts.map(({ atMost }) => atMost);
  const isBounded = most.every(Number.isFinite);
  return {
    largestAmount: toAmountFact({ atLeast: findLargest(least), atMost: findLargest(most) }),
    totalAmount: toAmountFact({
      atLeast: sumExactly(least),
      atMost: isBounded ? sumExactly(most) : Infinity,
    }),
  };
}

/** Levels searched for a name: `{ type: 'function', function: { name } }` needs two. */
const NAME_DEPTH = 3;

/** The first customary member with a name; `function` may be an object of its own. */
function findToolNames(call: Json, depth = NAME_DEPTH): string[] {
  for (const key of depth === 0 ? [] : ['tool', 'name', 'function', 'toolName', 'type']) {
    const value = getMember(call, key);
    if (typeof value === 'string') return [value];
    const inner = value === undefined ? [] : findToolNames(value, depth - 1);
    if (inner.length > 0) return inner;
  }
  return [];
}

/** Parses every string that holds a JSON object or array, since many tools get their arguments as such text. */
function parseNested(value: Json): Json {
  if (typeof value === 'string') return /^\s*[[{]/.test(value) ? parseText(value) : value;
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(parseNested);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, parseNested(item)]));
}

function parseText(text: string): Json {
  try {
    return parseSafeJson(text);
  } catch {
    return text;
  }
}

/** Every string value, in document order; names of members are not included. */
function collectStrings(value: Json): string[] {
  if (typeof value === 'string') return [value];
  if (value === null || typeof value !== 'object') return [];
  return Object.values(value).flatMap(collectStrings);
}

function measureLargestList(value: Json): number {
  if (value === null || typeof value !== 'object') return 0;
  const own = Array.isArray(value) ? value.length : 0;
  return Object.values(value).reduce<number>(
    (maximum, item) => Math.max(maximum, measureLargestList(item)),
    own,
  );
}

/** Matching starts at the at sign; starting at each character before it would read most texts 64 times. */
const address = /@(?<=[\w.+-]@)((?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24})\b/gi;

function collectDomains(texts: readonly string[]): string[] {
  const domains = new Set<string>();
  for (const text of texts) for (const domain of findDomains(text)) domains.add(domain);
  return [...domains];
}

function findDomains(text: string): string[] {
  if (!text.includes('@')) return [];
  const domains: string[] = [];
  let end = 0;
  for (const { 0: found, 1: domain = '', index } of text.matchAll(address)) {
    // An address cannot begin where another ends: `a@b.org@c.org` holds only the first.
    if (index === end) continue;
    domains.push(domain.toLowerCase());
    end = index + found.length;
  }
  return domains;
}

function getMember(value: Json | undefined, name: string): Json | undefined {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

function measureLength(value: Json): number {
  return typeof value === 'string' ? value.trim().length : 0;
}

/** The maximum of non-negative numbers, or 0 for none. A long list would overflow the arguments of `Math.max`. */
function findLargest(values: readonly number[]): number {
  return values.reduce((maximum, value) => Math.max(maximum, value), 0);
}
