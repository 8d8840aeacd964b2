// A tool call that its spans report, as the decision after the fact that it becomes.
import type { JsonObject } from '@assay/json';
import type { DialectName, ReportedAction, SpanDecision } from '@assay/otlp-decisions';
import { limitArguments, truncateText } from './limit-arguments.ts';
import { NO_ARGUMENTS } from './observed.ts';

/** A decision after the fact. */
export interface ObservedCall {
  dialect: DialectName;
  /** The same for every export of the span. */
  key: string;
  body: JsonObject;
  tags: string[];
  /** The decision that the call was asked for under; null: it was not. */
  decisionId: string | null;
  /** The whole act, and the agent that the spans name; null: they name none. */
  act: ReportedAction;
  agent: string | null;
}

/** Characters of texts; those of prompt, agent and conversation are limits of a decision. */
const LIMITS = {
  agent: 200,
  prompt: 50_000,
  conversation: 256,
  tool: 200,
  scope: 200,
  callId: 200,
  error: 1000,
} as const;

const UNNAMED = 'unnamed agent';

export function toObservedCall(decision: SpanDecision): ObservedCall {
  const { dialect, mapping, traceId, spanId, scope, callId, startMs, action } = decision;
  return {
    dialect,
    key: `otlp:${traceId}:${spanId}`,
    body: {
      ...describeAgent(decision),
      outputDecision: describeAction(action),
      metadata: describeRun(decision),
      ...(startMs !== null && { timestamp: new Date(startMs).toISOString() }),
      adapter: {
        kind: 'otlp',
        mapping,
        mode: 'observed',
        scope: truncateText(scope, LIMITS.scope),
        traceId,
        spanId,
        ...(callId !== null && { callId: truncateText(callId, LIMITS.callId) }),
      },
    },
    tags: action.arguments === undefined ? [NO_ARGUMENTS] : [],
    decisionId: decision.decisionId,
    act: action,
    agent: decision.agent,
  };
}

function describeAgent(decision: SpanDecision): JsonObject {
  const { agent, service, scope, conversationId, spanName } = decision;
  const named = [agent, service, scope, UNNAMED];
  const agentId = named.map((name) => truncateText(name?.trim() ?? '', LIMITS.agent)).find(Boolean);
  const prompt = decision.prompt ?? `span ${spanName}`;
  return {
    agentId: agentId ?? UNNAMED,
    inputContext: {
      prompt: truncateText(prompt, LIMITS.prompt),
      ...(conversationId !== null && {
        conversationId: truncateText(conversationId, LIMITS.conversation),
      }),
    },
  };
}

function describeAction({ tool, arguments: given }: ReportedAction): JsonObject {
  const name = truncateText(tool, LIMITS.tool);
  if (given === undefined) return { action: { tool: name } };
  const { shown, whole } = limitArguments(given);
  return {
    action: { tool: name, arguments: shown },
    ...(whole !== null && { toolCalls: [{ tool: name, arguments: whole }] }),
  };
}

function describeRun({ startMs, endMs, error }: SpanDecision): JsonObject {
  const isTimed = startMs !== null && endMs !== null && endMs >= startMs;
  return {
    ...(isTimed && { latencyMs: Math.round((endMs - startMs) * 1000) / 1000 }),
    ...(error !== null && { error: truncateText(error, LIMITS.error) || 'failed' }),
  };
}
