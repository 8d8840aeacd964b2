// The content limits of a schema version, checked on a decision (document 1, section 9).
import type { ContentLimits } from './schema-versions.ts';

/** The members of a decision that have limits. */
export interface Limited {
  inputContext: {
    prompt: string;
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
}

/** One for each code point that is two UTF-16 units. */
const HIGH_SURROGATES = /[\ud800-\udbff]/g;

type Unit = 'characters' | 'bytes of JSON' | 'items';

/** A limit that is exceeded: the `path` in the body, the `limit`, and what was found in the limit's unit. */
export interface LimitViolation {
  path: string;
  limit: number;
  found: number;
  unit: Unit;
}

/** Every limit that the decision exceeds, in the order of the body. Characters are Unicode code points, bytes those of UTF-8. */
export function limitViolationOf(
  { inputContext: input, outputDecision: output, rationale, alternatives }: Limited,
  limits: ContentLimits,
): LimitViolation[] {
  const measured = [
    characters('inputContext.prompt', limits.promptCharacters, input.prompt),
    characters('inputContext.systemPrompt', limits.systemPromptCharacters, input.systemPrompt),
    bytes('inputContext.context', limits.contextBytes, input.context),
    characters(
      'inputContext.conversationId',
      limits.conversationIdCharacters,
      input.conversationId,
    ),
    bytes('outputDecision.action', limits.actionBytes, output.action),
    characters('outputDecision.rationale', limits.rationaleCharacters, output.rationale),
    items('outputDecision.alternatives', limits.alternatives, output.alternatives),
    items('outputDecision.toolCalls', limits.toolCalls, output.toolCalls),
    characters('rationale', limits.rationaleCharacters, rationale),
    items('alternatives', limits.alternatives, alternatives),
  ];
  return measured.filter(({ found, limit }) => found > limit);
}

function characters(path: string, limit: number, text = ''): LimitViolation {
  const found = text.length - (text.match(HIGH_SURROGATES)?.length ?? 0);
  return { path, limit, found, unit: 'characters' };
}

function bytes(path: string, limit: number, value: unknown): LimitViolation {
  const found = value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value));
  return { path, limit, found, unit: 'bytes of JSON' };
}

function items(path: string, limit: number, list: readonly unknown[] = []): LimitViolation {
  return { path, limit, found: list.length, unit: 'items' };
}
