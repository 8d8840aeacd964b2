// Access evaluations of AuthZEN (Authorization API 1.0), and the decisions that they are recorded as.
import type { JsonObject } from '@assay/json';
import { QUESTION_ADAPTER } from '@assay/policy';

export interface Entity {
  type: string;
  id: string;
  properties?: JsonObject;
}

export interface AccessAction {
  name: string;
  properties?: JsonObject;
}

/** The question whether a subject may perform an action on a resource. */
export interface AccessQuestion {
  subject: Entity;
  action: AccessAction;
  resource: Entity;
  context?: JsonObject;
}

/** Who asks a question, and in which request. */
export interface Asker {
  /** The agent of the caller's key; null: the question says which. */
  agentId: string | null;
  requestId: string;
}

const AGENT = 'agent';
const AGENT_MAX = 200;
const SESSION_MAX = 200;
const PROMPT_MAX = 50_000;
/** The types that the subjects of a decision may have. */
const LABEL = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/;

/** The decision that answers a question. Its action has the form that guards of tools give it. */
export function toDecision(evaluation: AccessQuestion, asker: Asker): JsonObject {
  const { subject, context } = evaluation;
  const sessionId = readText(context, 'session_id', SESSION_MAX);
  return {
    agentId: chooseAgent(evaluation, asker),
    inputContext: { prompt: describeQuestion(evaluation), ...(context && { context }) },
    outputDecision: { action: toAction(evaluation) },
    adapter: { kind: QUESTION_ADAPTER, version: '1.0', requestId: asker.requestId },
    ...(sessionId !== null && { sessionId }),
    ...(isActor(subject) && { actor: [{ type: subject.type, id: subject.id }] }),
  };
}

/** The action that is judged, and that an approval is bound to. */
export function toAction({ subject, action, resource }: AccessQuestion): JsonObject {
  return {
    tool: action.name,
    arguments: action.properties ?? {},
    subject: { ...subject },
    resource: { ...resource },
  };
}

/** The key's own agent, else the subject if it is an agent, else the one that the context names, else the subject. */
function chooseAgent({ subject, context }: AccessQuestion, { agentId }: Asker): string {
  if (subject.type === AGENT) return subject.id;
  return agentId ?? readText(context, 'agent_id', AGENT_MAX) ?? subject.id;
}

const isActor = ({ type, id }: Entity): boolean =>
  type !== AGENT && LABEL.test(type) && id.trim() !== '';

function describeQuestion({ subject, action, resource, context }: AccessQuestion): string {
  const asked = `Can ${subject.type} ${subject.id} ${action.name} ${resource.type} ${resource.id}?`;
  return readText(context, 'prompt', PROMPT_MAX) ?? asked;
}

/** A member of the context that is a text of this length; null: there is none. */
function readText(context: JsonObject | undefined, name: string, max: number): string | null {
  const value = context?.[name];
  if (typeof value !== 'string') return null;
  const text = value.trim();
  return text !== '' && text.length <= max ? text : null;
}
