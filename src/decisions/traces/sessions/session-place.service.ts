// Finds the session that a decision belongs to, and the one that it follows from.
import type { Context } from '../../../platform/context.ts';
import { deriveSessionName } from '../../../domain/halt/session-key.ts';
import { readCommittedState } from '../../../domain/record/committed-state.ts';
import {
  toCurrentState,
  type CommittedSession,
} from '../../../domain/sessions/session-register.ts';
import type { SessionRules } from '../../../domain/sessions/session-rules.ts';
import type { TraceDocument } from '../traces.model.ts';
import type { JudgedSession } from './judged-session.ts';

/** What a decision says of its place. */
export interface SaidPlace {
  workspaceId: string;
  /** The id of a registered agent, else the mark of its name. */
  agent: string;
  sessionId: string | undefined;
  parentTraceId: string | undefined;
}

/** The session of a decision. */
export interface SessionPlace {
  key: string;
  /** Whether the caller, or the decision before, names it. */
  named: boolean;
  /** The session of the decision that it follows from, if that is another one. */
  parent: string | null;
}

/**
 * The session that the caller names, else that of the decision it follows from, if the same agent took that one, else the
 * one of the agent without a name.
 */
export async function findSessionPlace(
  ctx: Context,
  said: SaidPlace,
  { by }: SessionRules,
): Promise<SessionPlace> {
  const { workspaceId, agent, sessionId, parentTraceId } = said;
  const isNamed = by === 'name' && sessionId !== undefined;
  const own = deriveKey(ctx, { workspaceId, agent, sessionId: isNamed ? sessionId : null });
  if (parentTraceId === undefined) return { key: own, named: isNamed, parent: null };
  const parent = await findParent(ctx, parentTraceId);
  if (!parent) return { key: own, named: isNamed, parent: null };
  const isContinued = by === 'name' && !isNamed && parent.agent === agent;
  if (isContinued) return { key: parent.key, named: parent.named, parent: null };
  return { key: own, named: isNamed, parent: parent.key === own ? null : parent.key };
}

function deriveKey(
  { platform, tenant }: Context,
  place: { workspaceId: string; agent: string; sessionId: string | null },
): string {
  return deriveSessionName(platform.secrets.ledgerKey, tenant.organizationId, place);
}

/** The session of a decision; null: there is no such decision, or it was judged on none. */
async function findParent(
  { platform, tenant: { organizationId } }: Context,
  traceId: string,
): Promise<{ key: string; named: boolean; agent: string } | null> {
  const found = await platform.models.traces
    .findOne({ organizationId, traceId }, 'agentId answer.agentMark sealed.state')
    .lean<Pick<TraceDocument, 'agentId' | 'answer' | 'sealed'>>();
  const session = found && readCommittedState(found.sealed).session;
  if (!session) return null;
  const agent = found.answer?.agentMark ?? found.agentId;
  return { key: session.key, named: session.named ?? false, agent };
}

/** A session when a decision of it is judged. */
interface SessionMoment extends Pick<JudgedSession, 'known' | 'idleHours' | 'results'> {
  at: Date;
}

/** What a decision is judged on, as the session is known; one that begins has the labels of the session before it. */
export async function toJudgedSession(
  { platform, tenant }: Context,
  { key, named, parent }: SessionPlace,
  { known, at, idleHours, results }: SessionMoment,
): Promise<JudgedSession> {
  const moment = at.toISOString();
  const when = { at: moment, idleHours };
  const before = toCurrentState(known, when);
  const isBegun = before !== known?.state;
  const base = { key, named, known, results, ...when };
  if (!isBegun || parent === null) return { ...base, before };
  const other = await platform.ledger.sessions.readNewest(tenant.organizationId, parent);
  if (!other) return { ...base, before };
  const from: CommittedSession['from'] = { key: parent, sequence: other.sequence };
  return { ...base, from, before: toCurrentState(known, when, other.state.labels) };
}
