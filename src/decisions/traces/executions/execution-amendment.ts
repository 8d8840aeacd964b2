// Builds the entries of an execution: the claim, and its outcomes.
import type { Json } from '@assay/json';
import type { Tenant } from '../../../domain/identity/tenant.ts';
import { commitValues } from '../../../domain/record/commitments.ts';
import {
  createExecutionPayload,
  createStatusPayload,
  type ExecutionState,
} from '../../../domain/record/payload.ts';
import {
  commitEditedAction,
  deriveEditedSalt,
  EDITED_ACTION,
  RAW_ACTION,
} from '../../../domain/actions/proposed-action.ts';
import { buildAmendment, buildAmendmentBase } from '../../../ledger/amend/amendment-base.ts';
import type { Amendment, Subject } from '../../../ledger/amend/amendments.ts';
import { REQUEST } from './repeated-claims.ts';
import type { Spending, Used } from '../../../domain/budgets/spending.ts';
import { findAct } from '../../../domain/halt/act.ts';
import { findBinding } from '../review/review-amendment.ts';
import { readCommittedState } from '../../../domain/record/committed-state.ts';
import { continueSession, toStateValue } from '../sessions/judged-session.ts';
import type { TraceDocument } from '../traces.model.ts';

type By = Pick<Tenant, 'organizationId' | 'actor'>;

interface Claim {
  executionId: string;
  leaseUntil: Date;
  /** After an edited approval. */
  editedActionDigest: string | undefined;
  /** Keyed digests of the effects that it reserves. */
  effects: string[];
  /** By which a repetition is recognised. */
  request: string | undefined;
}

/** Each claim repeats the commitment to the action, so that a verifier needs no other entry. */
export function buildClaimEntry(
  by: By,
  about: Subject<TraceDocument>,
  { claimed, random16 }: { claimed: Claim; random16: () => Buffer },
): Amendment {
  const { executionId, leaseUntil, editedActionDigest, effects, request } = claimed;
  const values = { [REQUEST]: request, effects: effects.length > 0 ? effects : undefined };
  const { sealed, commitments } = commitValues(values, random16);
  const { submitted } = about.trace.sealed;
  const edited =
    submitted && editedActionDigest !== undefined
      ? commitEditedAction(editedActionDigest, deriveEditedSalt(submitted.seed))
      : null;
  const payload = createExecutionPayload({
    ...buildAmendmentBase(by, about),
    commitments: {
      ...commitments,
      [RAW_ACTION]: findBinding(about.trace) ?? '',
      ...(edited !== null && { [EDITED_ACTION]: edited }),
    },
    executionId,
    state: 'claimed',
    leaseUntil: leaseUntil.toISOString(),
  });
  const act = findAct({ kind: 'execution', state: 'claimed', actor: by.actor }, about.trace);
  return { ...buildAmendment('execution', payload, { sealed }), ...(act && { act }) };
}

/** The reported outcome of an execution; its texts are scrubbed. */
export interface ExecutionOutcome {
  outcome: Exclude<ExecutionState, 'claimed'>;
  resultDigest?: string | undefined;
  summary?: string | undefined;
  durationMs?: number | undefined;
  labels?: string[] | undefined;
  /** What it used of the limits of its decision; absent: what was reserved. */
  used?: Used | undefined;
}

interface OutcomeInput {
  said: ExecutionOutcome;
  settled?: readonly Spending[];
  /** Labels of the result that the catalogue has. */
  labels?: string[];
  random16: () => Buffer;
}

export function buildOutcomeEntry(
  by: By,
  about: Subject<TraceDocument>,
  { said, settled = [], labels = [], random16 }: OutcomeInput,
): Amendment {
  const { outcome, used, ...values } = said;
  const isSettling = settled.length > 0;
  const continued = labels.length > 0 ? addLabels(about.trace, labels) : null;
  const state = toStateValue({ ...(isSettling && { spends: [...settled] }), ...continued?.state });
  const reported = { ...values, used: used && { ...used }, state } as Record<
    string,
    Json | undefined
  >;
  const { sealed, commitments } = commitValues(reported, random16);
  const payload = createExecutionPayload({
    ...buildAmendmentBase(by, about),
    commitments,
    executionId: about.trace.execution?._id.toHexString() ?? '',
    state: outcome,
    leaseUntil: null,
  });
  return {
    ...buildAmendment('execution', payload, { sealed }),
    ...(isSettling && { spends: { added: settled, caps: [] } }),
    ...(continued && { session: continued.session }),
  };
}

/** Changes nothing, but takes the place after which a claim would stand: its reservation is given back. */
export function buildGivenBackEntry(by: By, about: Subject<TraceDocument>): Amendment {
  const set = { status: null, humanOverride: null };
  return buildAmendment('status', createStatusPayload({ ...buildAmendmentBase(by, about), set }));
}

const addLabels = (trace: TraceDocument, labels: string[]): ReturnType<typeof continueSession> =>
  continueSession(trace, readCommittedState(trace.sealed), { kind: 'execution', labels });
