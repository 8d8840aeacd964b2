// What a decision proposes, in one line and in parts.
import type { Decision } from './decision-stream.ts';

interface ToolCall {
  tool: string;
  parameters: unknown;
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The action in force: of a human correction, else the agent's own. */
export function readAction({ outputDecision, humanOverride }: Decision): unknown {
  if (!isObject(outputDecision)) return null;
  const { action = null, decision } = outputDecision;
  return humanOverride && decision !== undefined ? decision : action;
}

/** The call in an action that names a tool; null: it names none. */
export function readToolCall(action: unknown): ToolCall | null {
  if (!isObject(action)) return null;
  const { tool, name, ...rest } = action;
  const named = [tool, name].find((value) => typeof value === 'string');
  if (typeof named !== 'string') return null;
  return { tool: named, parameters: rest['arguments'] ?? rest };
}

const joinParameters = (parameters: unknown): string =>
  isObject(parameters)
    ? Object.entries(parameters)
        .map(
          ([name, value]) =>
            `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
        )
        .join(', ')
    : JSON.stringify(parameters);

/** One line: `tool(argument: value)`, or the text. */
export function describeAction(action: unknown): string {
  const call = readToolCall(action);
  if (call) return `${call.tool}(${joinParameters(call.parameters)})`;
  if (action === null || action === undefined) return 'No action kept';
  return typeof action === 'string' ? action : JSON.stringify(action);
}

/** Whether an action says no more than its name, as `reply`. */
function isBare(action: unknown): boolean {
  if (typeof action === 'string') return !/\s/.test(action);
  const parameters = readToolCall(action)?.parameters;
  return isObject(parameters) && Object.keys(parameters).length === 0;
}

/** One line of an action; one that is a name alone is followed by what its agent said with it. */
export function describeActionWith(action: unknown, rationale: unknown): string {
  return isBare(action) && typeof rationale === 'string' && rationale !== ''
    ? `${readToolCall(action)?.tool ?? String(action)}: ${rationale}`
    : describeAction(action);
}

export const describeProposal = (decision: Decision): string =>
  describeActionWith(readAction(decision), decision.rationale);

export function readPrompt({ inputContext }: Pick<Decision, 'inputContext'>): string | null {
  const prompt = isObject(inputContext) ? inputContext['prompt'] : null;
  return typeof prompt === 'string' ? prompt : null;
}

/** What began a decision that no one asked for; null: a prompt did. */
export function readTrigger(inputContext: unknown): unknown {
  if (!isObject(inputContext) || typeof inputContext['prompt'] === 'string') return null;
  return inputContext['trigger'] ?? null;
}

/** What an agent was given besides the prompt or what began it; null: nothing. */
export function readGivenContext(inputContext: unknown): unknown {
  if (!isObject(inputContext)) return null;
  const { prompt, trigger, ...rest } = inputContext;
  const given = typeof prompt === 'string' && trigger !== undefined ? { ...rest, trigger } : rest;
  return Object.keys(given).length > 0 ? given : null;
}

/** What an agent put out besides action and rationale; null: nothing. */
export function readFurtherOutput({ outputDecision }: Decision): unknown {
  if (!isObject(outputDecision)) return outputDecision;
  const { action: _action, rationale: _rationale, ...rest } = outputDecision;
  return Object.keys(rest).length > 0 ? rest : null;
}
