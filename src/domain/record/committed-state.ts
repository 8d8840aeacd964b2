// The committed value `state`: what an entry did to limits and sessions. It is stored in clear, and erasures keep it.
import type { ToolAct, ValueFacts } from '@assay/policy';
import type { Reserved } from '../budgets/spending.ts';
import type { GrantUse } from '../grants/grant-use.ts';
import type { CommittedSession } from '../sessions/session-register.ts';

export interface CommittedState extends Reserved {
  /** What the tools of the decision do, by the catalogue. */
  acts?: ToolAct[];
  /** Tools that have to come before one of these, and whether all tools are listed. */
  after?: string[];
  listed?: boolean;
  /** What is known of where the values of the decision come from. */
  values?: ValueFacts;
  /** The digest of the catalogue; absent: there was none. */
  catalog?: string;
  /** Labels that the caller adds to the session. */
  labels?: string[];
  session?: CommittedSession;
  /** The standing grant that let the decision through; absent: none did. */
  grant?: GrantUse;
}

/** Reads what an entry commits to; one without it changed nothing. */
export function readCommittedState(sealed: unknown): CommittedState {
  const { state } = Object(sealed) as { state?: { text: string } | null };
  return state ? (JSON.parse(state.text) as CommittedState) : {};
}

/** Null: what is stored is no JSON. */
export function tryReadCommittedState(sealed: unknown): CommittedState | null {
  try {
    return readCommittedState(sealed);
  } catch {
    return null;
  }
}
