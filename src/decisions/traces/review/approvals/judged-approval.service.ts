// Judges an approval where several people have to approve: one vote of them, the last one, or none that counts.
import type { Json, JsonObject } from '@assay/json';
import type { Approvals } from '@assay/policy';
import type { Context } from '../../../../platform/context.ts';
import { AppError } from '../../../../errors.ts';
import {
  countVotes,
  describeMissing,
  judgeVote,
  type Quorum,
  toContent,
} from '../../../../domain/review/approval-votes.ts';
import type { Subject } from '../../../../ledger/amend/amendments.ts';
import type { TraceDocument } from '../../traces.model.ts';
import { computeActionDigest } from '../../traces.view.ts';
import { toHeldSource } from '../self-review/self-review.service.ts';
import { openBallots, type StoredBallot } from './approvals.service.ts';

/** What the entry of an approval commits to besides its words. `quorum` null: others have to approve as well. */
export interface JudgedApproval {
  quorum: Quorum | null;
  /** The step that it counts for. */
  step: number;
  /** What the person is here: role, and whether the agent is theirs. */
  voter: JsonObject;
}

interface Words {
  decision: 'approve' | 'reject';
  edits?: Json | undefined;
}

/** Votes that one decision takes: more than its steps ask for come from edits that annul one another. */
const VOTES_MAX = 40;

/** Null: the verdict of one person ends the review. @throws AppError `FORBIDDEN`, `INVALID_OPERATION` */
export type JudgeApproval = (
  about: Subject<TraceDocument>,
  words: Words,
) => Promise<JudgedApproval | null>;

/** A judge for one request. Expects decisions whose values are decrypted. */
export function openApprovalJudge({ platform, tenant }: Context): JudgeApproval {
  const { organizationId, actor } = tenant;
  const loadBallots = openBallots(platform, organizationId);
  return async ({ trace, after }, { decision, edits }) => {
    const approvals = trace.review?.approvals;
    if (!approvals || approvals.steps.length === 0 || decision === 'reject') return null;
    const ballot = (await loadBallots([toHeldSource(trace)])).get(trace.traceId);
    if (!ballot) throw new AppError('NOT_FOUND');
    const votes = ballot.votes.filter(({ sequence }) => sequence <= after.sequence);
    const content = toContent(computeActionDigest(trace), edits);
    return judge({ ...ballot, votes }, approvals, { userId: actor.id ?? '', content });
  };
}

/** @throws AppError `FORBIDDEN`, `INVALID_OPERATION` */
function judge(
  ballot: StoredBallot,
  approvals: Approvals,
  given: { userId: string; content: string },
): JudgedApproval {
  const standing = judgeVote(approvals, given, ballot);
  if (standing.as === 'vote' && ballot.votes.length >= VOTES_MAX)
    throw new AppError(
      'INVALID_OPERATION',
      `It was voted on ${VOTES_MAX} times: reject it, so that its agent asks again`,
    );
  if (standing.as !== 'vote' && standing.as !== 'complete')
    throw createRefusal(standing.as, describeMissing(countVotes(approvals, ballot).steps));
  const { delegator } = standing;
  const voter = {
    ...sealPerson(ballot, given.userId),
    ...(delegator !== null && {
      delegator: { userId: delegator, ...sealPerson(ballot, delegator) },
    }),
  };
  if (standing.as === 'vote') return { quorum: null, step: standing.step, voter };
  return { quorum: standing.quorum, step: standing.quorum.step, voter };
}

const sealPerson = ({ approvers, agentOwner }: StoredBallot, userId: string) => ({
  role: approvers.get(userId)?.role ?? null,
  agentOwner: userId === agentOwner,
});

const REFUSALS = {
  repeated: 'You have approved it already',
  represented: 'It was approved in your place already',
} as const;

const createRefusal = (as: 'stranger' | keyof typeof REFUSALS, waitsFor: string): AppError =>
  as === 'stranger'
    ? new AppError('FORBIDDEN', `You may not approve this: it waits for ${waitsFor}`, {
        data: { waitsFor },
      })
    : new AppError('INVALID_OPERATION', `${REFUSALS[as]}: it waits for ${waitsFor}`);
