// The content limits of a schema version, checked on a decision (document 1, section 9).
import type { ContentLimits } from './schema-versions.ts';

/** The members of a decision that have limits. */
export interface LimitedDecision {
  inputContext: {
    prompt?: string | undefined;
    systemPrompt?: string | undefined;
    conversationId?: string | undefined;
    context?: unknown;
  };
  outputDecision: {
    action: unknown;
    rationale?: string | undefined;
    alternatives?: readonly unknown[] | undefined;
    toolCalls?: readonly unknown[] | undefined;
  };
  rationale?: string | undefined;
  alternatives?: readonly unknown[] | undefined;
  metadata?: unknown;
  adapter?: unknown;
  mlBomReference?: unknown;
  art12?: unknown;
  conversation?: unknown;
  crew?: unknown;
}

type Unit = 'characters' | 'bytes of JSON' | 'bytes of JSON in further members' | 'items' | 'keys';

/** An exceeded limit: the `path` in the body, the `limit`, and the size `found`, in the limit's unit. */
export interface LimitViolation {
  path: string;
  limit: number;
  found: number;
  unit: Unit;
}

const FREE_MEMBERS = [
  'metadata',
  'adapter',
  'mlBomReference',
  'art12',
  'conversation',
  'crew',
] as const;

/**
 * Every exceeded limit in the order of the body. Characters are Unicode code points, bytes those of UTF-8. Objects with
 * too many keys are searched for only when all sizes are legal.
 * @param sentBytes the size of the received body
 */
export function findLimitViolations(
  decision: LimitedDecision,
  given: ContentLimits,
  sentBytes: number,
): LimitViolation[] {
  const limits = omitUnreachable(given, sentBytes);
  const measured = measureInput(decision, limits);
  measured.push(...measureOutput(decision, limits));
  measured.push(
    measureCharacters('rationale', limits.rationaleCharacters, decision.rationale),
    ...measureList('alternatives', decision.alternatives, {
      items: limits.alternatives,
      bytes: limits.alternativesBytes,
    }),
    ...FREE_MEMBERS.map((name) => measureBytes(name, limits.freeBytes, decision[name])),
  );
  const violations = measured.filter(({ found, limit }) => found > limit);
  return violations.length > 0 ? violations : findKeyViolations(decision, limits.keys);
}

/** The largest growth of JSON text by serializing it again: `1e20` becomes 21 digits. */
const GROWTH = 6;

/** Drops limits that a body of this size cannot exceed, since measuring costs 6 us a decision (row ingest/R1). */
function omitUnreachable(limits: ContentLimits, sentBytes: number): ContentLimits {
  const most = sentBytes * GROWTH;
  const toEffectiveLimit = (limit: number): number => (limit < most ? limit : Infinity);
  return {
    ...limits,
    contextBytes: toEffectiveLimit(limits.contextBytes),
    actionBytes: toEffectiveLimit(limits.actionBytes),
    freeBytes: toEffectiveLimit(limits.freeBytes),
    alternativesBytes: toEffectiveLimit(limits.alternativesBytes),
    toolCallsBytes: toEffectiveLimit(limits.toolCallsBytes),
  };
}

function measureInput({ inputContext }: LimitedDecision, limits: ContentLimits): LimitViolation[] {
  const { prompt, systemPrompt, context, conversationId, ...further } = inputContext;
  return [
    measureCharacters('inputContext.prompt', limits.promptCharacters, prompt),
    measureCharacters('inputContext.systemPrompt', limits.systemPromptCharacters, systemPrompt),
    measureBytes('inputContext.context', limits.contextBytes, context),
    measureCharacters(
      'inputContext.conversationId',
      limits.conversationIdCharacters,
      conversationId,
    ),
    measureFurtherBytes('inputContext', limits.freeBytes, further),
  ];
}

function measureOutput(
  { outputDecision }: LimitedDecision,
  limits: ContentLimits,
): LimitViolation[] {
  const { action, rationale, alternatives, toolCalls, ...further } = outputDecision;
  return [
    measureBytes('outputDecision.action', limits.actionBytes, action),
    measureCharacters('outputDecision.rationale', limits.rationaleCharacters, rationale),
    ...measureList('outputDecision.alternatives', alternatives, {
      items: limits.alternatives,
      bytes: limits.alternativesBytes,
    }),
    ...measureList('outputDecision.toolCalls', toolCalls, {
      items: limits.toolCalls,
      bytes: limits.toolCallsBytes,
      itemBytes: limits.freeBytes,
    }),
    measureFurtherBytes('outputDecision', limits.freeBytes, further),
  ];
}

function measureCharacters(path: string, limit: number, text = ''): LimitViolation {
  return {
    path,
    limit,
    found: text.length > limit ? countCodePoints(text) : text.length,
    unit: 'characters',
  };
}

/** Counts UTF-16 units less high surrogates: each code point beyond the first 65,536 takes two units. */
function countCodePoints(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length; i++) if ((text.charCodeAt(i) & 0xfc00) === 0xd800) count--;
  return count;
}

function measureBytes(path: string, limit: number, value: unknown): LimitViolation {
  return {
    path,
    limit,
    found: value === undefined ? 0 : countJsonBytes(value, limit),
    unit: 'bytes of JSON',
  };
}

/** Measures the members of an object other than the named ones. */
function measureFurtherBytes(path: string, limit: number, further: object): LimitViolation {
  const found = isEmpty(further) ? 0 : countJsonBytes(further, limit);
  return { path, limit, found, unit: 'bytes of JSON in further members' };
}

/** Bytes of JSON; 0 when there is no limit. */
function countJsonBytes(value: unknown, limit: number): number {
  return limit === Infinity ? 0 : Buffer.byteLength(JSON.stringify(value));
}

interface ListLimits {
  items: number;
  bytes: number;
  itemBytes?: number;
}

/** The items of a list with too many items are not measured. */
function measureList(
  path: string,
  list: readonly unknown[] | undefined,
  limits: ListLimits,
): LimitViolation[] {
  if (list === undefined) return [];
  const { itemBytes } = limits;
  const count: LimitViolation = { path, limit: limits.items, found: list.length, unit: 'items' };
  if (list.length > limits.items) return [count];
  const items =
    itemBytes === undefined
      ? []
      : list.map((item, i) => measureBytes(`${path}.${i}`, itemBytes, item));
  return [measureBytes(path, limits.bytes, list), ...items];
}

/** The first object with too many keys, at any depth of a stored member. */
function findKeyViolations(decision: LimitedDecision, limit: number): LimitViolation[] {
  for (const name of ['inputContext', 'outputDecision', 'alternatives', ...FREE_MEMBERS] as const) {
    const excess = findExcess(decision[name], limit);
    if (!excess) continue;
    const path = [name, ...excess.path.toReversed()].join('.');
    return [{ path, limit, found: excess.found, unit: 'keys' }];
  }
  return [];
}

/** An object with too many keys: their number, and its path from the innermost key outwards. */
interface Excess {
  found: number;
  path: (string | number)[];
}

function findExcess(value: unknown, limit: number): Excess | null {
  if (typeof value !== 'object' || value === null) return null;
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  if (keys.length > limit && !Array.isArray(value)) return { found: keys.length, path: [] };
  for (const key of keys) {
    const excess = findExcess((value as Record<string | number, unknown>)[key], limit);
    if (!excess) continue;
    excess.path.push(key);
    return excess;
  }
  return null;
}

function isEmpty(value: object): boolean {
  for (const _ in value) return false;
  return true;
}
