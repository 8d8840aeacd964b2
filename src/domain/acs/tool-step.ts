// Tool calls of the Agent Control Standard, and the decisions that they are recorded as.
import { canonicalize, isJsonObject, type Json, type JsonObject } from '@assay/json';

/** The payload of `steps/toolCallRequest`. */
export interface ToolStep {
  tool: { name: string };
  operation?: string;
  capability?: string;
  raw_command?: string;
  arguments: Record<string, Json>;
  intent?: { description?: string; goal?: string };
}

/** The metadata of a step. */
export interface StepOrigin {
  agentId: string;
  sessionId: string;
  requestId: string;
  turnId: string | null;
  userId: string | null;
}

/** The action that is judged, and that an approval is bound to: the form that guards of tools give it. */
export function toStepAction({ tool, arguments: given }: ToolStep): JsonObject {
  const values = Object.entries(given).map(([name, argument]) => [name, unwrap(argument)]);
  return { tool: tool.name, arguments: Object.fromEntries(values) as JsonObject };
}

export function toStepDecision(step: ToolStep, origin: StepOrigin): JsonObject {
  const { operation, capability, raw_command: command, intent } = step;
  const context: JsonObject = {
    ...(operation !== undefined && { operation }),
    ...(capability !== undefined && { capability }),
    ...(command !== undefined && { raw_command: command }),
  };
  const prompt = intent?.goal ?? intent?.description ?? '';
  const { agentId, sessionId, requestId, turnId, userId } = origin;
  return {
    agentId,
    inputContext: { prompt: prompt.trim() || `Call ${step.tool.name}`, context },
    outputDecision: { action: toStepAction(step) },
    adapter: { kind: 'acs', version: '0.1.0', requestId, ...(turnId !== null && { turnId }) },
    sessionId,
    ...(userId !== null && { actor: [{ type: 'user', id: userId }] }),
  };
}

/**
 * The arguments that an edited action has instead; null: it differs in more than values of arguments, which the standard
 * cannot say.
 */
export function findOverrides(action: JsonObject, edited: JsonObject): JsonObject | null {
  const { arguments: given = null, ...others } = action;
  const { arguments: changed = null, ...kept } = edited;
  if (canonicalize(others) !== canonicalize(kept)) return null;
  if (!isJsonObject(given) || !isJsonObject(changed)) return null;
  if (Object.keys(given).some((name) => !Object.hasOwn(changed, name))) return null;
  const isOther = ([name, value]: [string, Json]): boolean =>
    !Object.hasOwn(given, name) || canonicalize(given[name] ?? null) !== canonicalize(value);
  return Object.fromEntries(Object.entries(changed).filter(isOther));
}

/** The value of an argument, which may come with its provenance. */
function unwrap(argument: Json): Json {
  if (typeof argument !== 'object' || argument === null || Array.isArray(argument)) return argument;
  return Object.hasOwn(argument, 'value') ? (argument['value'] ?? null) : argument;
}
