// The content limits of a schema version, checked on a decision (document 1, section 9).
import type { Json } from './json.ts';
import type { ContentLimits } from './schema-versions.ts';

/** The members of a decision that limits speak of. */
export interface Limited {
  inputContext: {
    prompt: string;
    systemPrompt?: string | undefined;
    conversationId?: string | undefined;
    context?: Json | undefined;
  };
  outputDecision: {
    action: Json;
    rationale?: string | undefined;
    alternatives?: readonly unknown[] | undefined;
    toolCalls?: readonly unknown[] | undefined;
  };
  rationale?: string | undefined;
  alternatives?: readonly unknown[] | undefined;
}

/** Where a limit is passed: `path` in the body, `limit` and what was found, in the limit's own unit. */
export interface Excess {
  path: string;
  limit: number;
  found: number;
  unit: 'characters' | 'bytes of JSON' | 'items';
}

function bytes(value: Json | undefined): number {
  return value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value));
}

/** Every limit that the decision passes, in the order of the body. */
export function excessOf(
  { inputContext, outputDecision, rationale, alternatives }: Limited,
  limits: ContentLimits,
): Excess[] {
  const checks: [string, number, number, Excess['unit']][] = [
    ['inputContext.prompt', limits.promptCharacters, inputContext.prompt.length, 'characters'],
    ['inputContext.systemPrompt', limits.systemPromptCharacters, inputContext.systemPrompt?.length ?? 0, 'characters'],
    ['inputContext.context', limits.contextBytes, bytes(inputContext.context), 'bytes of JSON'],
    [
      'inputContext.conversationId',
      limits.conversationIdCharacters,
      inputContext.conversationId?.length ?? 0,
      'characters',
    ],
    ['outputDecision.action', limits.actionBytes, bytes(outputDecision.action), 'bytes of JSON'],
    ['outputDecision.rationale', limits.rationaleCharacters, outputDecision.rationale?.length ?? 0, 'characters'],
    ['outputDecision.alternatives', limits.alternatives, outputDecision.alternatives?.length ?? 0, 'items'],
    ['outputDecision.toolCalls', limits.toolCalls, outputDecision.toolCalls?.length ?? 0, 'items'],
    ['rationale', limits.rationaleCharacters, rationale?.length ?? 0, 'characters'],
    ['alternatives', limits.alternatives, alternatives?.length ?? 0, 'items'],
  ];
  return checks.flatMap(([path, limit, found, unit]) => (found > limit ? [{ path, limit, found, unit }] : []));
}
