// What an entry says of its session, and what the chain carries of it (formats.md, section 17).
import type { Json } from '@assay/json';
import {
  beginSession,
  changeSession,
  isIdle,
  isSameJson,
  type SessionChange,
  type SessionState,
  type ToolAct,
} from '@assay/policy';

/** The register: the session as the entry leaves it. */
export interface SessionRegister {
  /** 22 characters: a keyed digest, so that no session can be read from it. */
  key: string;
  /** Counts the entries of the session. */
  n: number;
  state: SessionState;
}

/** A session as the newest entry of it left it. */
export interface KnownSession extends SessionRegister {
  /** The decision that the entry is about. */
  traceId: string;
}

/** What an entry commits to of its session. */
export interface CommittedSession {
  key: string;
  /** ISO 8601: the moment of judgement. Absent of what is no decision: its own time counts. */
  at?: string;
  /** Hours without an entry after which it begins again. */
  idleHours: number;
  /** The place of a decision in the session, and the state that it was judged on. */
  n?: number;
  before?: SessionState;
  /** The session whose labels this one begins with; the first decision says it. */
  from?: { key: string; sequence: number };
  /** Whether the caller, or the decision before, names the session; a decision says it. */
  named?: boolean;
}

/** What an entry that belongs to a session makes of it at its seal. */
export interface SessionDraft {
  committed: CommittedSession;
  change: Omit<SessionChange, 'at'>;
  /** The session that a decision was judged on; null: it began. Absent: any. */
  judgedOn?: KnownSession | null;
}

/** The state that the next entry builds on; `inherited`: labels with which a session begins. */
export function toCurrentState(
  known: Pick<SessionRegister, 'state'> | null,
  { at, idleHours }: { at: string; idleHours: number },
  inherited?: SessionState['labels'],
): SessionState {
  if (known && !isIdle(known.state, at, idleHours)) return known.state;
  return beginSession(at, inherited);
}

/** The register of an entry sealed at `createdAt`; null: its decision was judged on another state. */
export function sealSession(
  known: KnownSession | null,
  { committed, change, judgedOn }: SessionDraft,
  createdAt: Date,
): SessionRegister | null {
  if (judgedOn !== undefined && !isSameEntry(known, judgedOn)) return null;
  const { key, idleHours, at = createdAt.toISOString() } = committed;
  const before = committed.before ?? toCurrentState(known, { at, idleHours });
  return { key, n: (known?.n ?? 0) + 1, state: changeSession(before, { ...change, at }) };
}

const isSameEntry = (one: KnownSession | null, other: KnownSession | null): boolean =>
  one?.n === other?.n && one?.traceId === other?.traceId;

/** What an entry commits to of tools and session. */
interface SessionPart {
  acts?: ToolAct[];
  labels?: string[];
}

/** What is read of an entry to see what it makes of its session. */
interface SessionEntry {
  traceId: string;
  kind: string;
  /** What a decision says. */
  status?: string | undefined;
  /** What a review says. */
  decision?: string | undefined;
  /** Whether the decision was reported after the fact. */
  isObserved: boolean;
}

/** What an entry changes, by what it commits to. */
export function readSessionChange(
  { traceId, kind, status, decision, isObserved }: SessionEntry,
  { acts = [], labels = [] }: SessionPart,
): SessionDraft['change'] {
  const isLet = kind === 'trace' ? status === 'approved' || isObserved : decision === 'approve';
  return {
    traceId,
    isActing: isLet,
    isBlocked: kind === 'trace' && status === 'blocked' && !isObserved,
    acts,
    labels,
  };
}

/** Whether a decision was judged on the state that the chain had; `inherited`: labels of the session before it. */
export function isJudgedOn(
  { before, n, at = '', idleHours }: CommittedSession,
  known: SessionRegister | null,
  inherited: SessionState['labels'] | undefined,
): boolean {
  return (
    n === (known?.n ?? 0) + 1 &&
    isSameJson(toJson(before), toJson(toCurrentState(known, { at, idleHours }, inherited)))
  );
}

const toJson = (state: SessionState | undefined): Json => (state ?? null) as unknown as Json;
