// The session that a decision is judged on, and what its entry says and makes of it.
import type { JsonObject } from '@assay/json';
import { compileCatalogue, type SeenValues, type SessionState } from '@assay/policy';
import { OBSERVED } from '../../../domain/otlp/observed.ts';
import type { CommittedState } from '../../../domain/record/committed-state.ts';
import {
  type CommittedSession,
  type KnownSession,
  readSessionChange,
  type SessionDraft,
} from '../../../domain/sessions/session-register.ts';
import type { TraceDocument } from '../traces.model.ts';
import type { Judgement } from '../ingestion/judge.ts';

/** Judges sessions where no tool is listed. */
export const NO_TOOLS = compileCatalogue([]);

/** Plain data, which can be sent to a thread. */
export interface JudgedSession {
  key: string;
  /** ISO 8601: the moment of judgement. */
  at: string;
  idleHours: number;
  /** As its newest entry left it; null: it begins. */
  known: KnownSession | null;
  before: SessionState;
  /** The session whose labels it begins with. */
  from?: CommittedSession['from'];
  named: boolean;
  /** The results of the session in which the decision's values were seen. */
  results: SeenValues['results'];
}

/** What a decision commits to of its tools and its session; empty where it was judged on none. */
export function toSessionState(
  { described }: Judgement,
  session: JudgedSession | undefined,
): CommittedState {
  if (!session || !described) return {};
  const { key, at, idleHours, known, before, from, named } = session;
  const { acts, after, isListed: listed, values, labels, catalog } = described;
  return {
    acts,
    listed,
    values,
    ...(after.length > 0 && { after }),
    ...(labels.length > 0 && { labels }),
    ...(catalog !== null && { catalog }),
    session: { key, at, idleHours, n: (known?.n ?? 0) + 1, before, named, ...(from && { from }) },
  };
}

/** What the entry of a decision makes of the session that it commits to. */
export function draftSession(
  state: CommittedState,
  { verdict: status, tags }: Judgement,
  { traceId, session }: { traceId: string; session?: JudgedSession | undefined },
): SessionDraft | undefined {
  if (!session || !state.session) return undefined;
  const entry = { kind: 'trace', traceId, status, isObserved: tags.includes(OBSERVED) };
  return {
    committed: state.session,
    change: readSessionChange(entry, state),
    judgedOn: session.known,
  };
}

/** What a later entry about a decision says and makes of its session; null: the decision has none. */
export function continueSession(
  { traceId, tags }: Pick<TraceDocument, 'traceId' | 'tags'>,
  { session, acts = [] }: CommittedState,
  entry: { kind: 'review'; decision: string } | { kind: 'execution'; labels: string[] },
): { state: CommittedState; session: SessionDraft } | null {
  if (!session || tags.includes(OBSERVED)) return null;
  const committed = { key: session.key, idleHours: session.idleHours };
  const added = entry.kind === 'review' ? { acts } : { labels: entry.labels };
  const change = readSessionChange({ traceId: traceId ?? '', isObserved: false, ...entry }, added);
  return { state: { ...added, session: committed }, session: { committed, change } };
}

export const toStateValue = (state: CommittedState): JsonObject | undefined =>
  Object.keys(state).length === 0 ? undefined : (state as unknown as JsonObject);
