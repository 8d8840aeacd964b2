// Inputs and views of replays (document 2, section 4.2; decisions: replay).
import { z } from 'zod';
import { nameSchemas } from '../../http/declaration/schema-names.ts';
import { optional, withDefault } from '../../http/declaration/optional.ts';
import { UNKNOWN_REASONS } from '../../domain/policies/trials/rejudge.ts';
import { id, instant } from '../../http/declaration/views.ts';
import { policyCandidate } from '../policies.schemas.ts';
import { REPLAY_CHANGES, REPLAY_STATES } from './policy-replays.model.ts';

/** Limits: decisions of one replay, unfinished replays of an organisation, examples of each change. */
export const replayLimits = { decisions: 100_000, unfinished: 5, examples: 10 } as const;

const limit = withDefault(
  z.int().min(1).max(replayLimits.decisions),
  replayLimits.decisions,
).describe('How many decisions to go over, the newest first');

export const replayInput = z.object({ policy: policyCandidate, limit });
export const replayOfPolicyInput = z.object({
  policy: optional(policyCandidate).describe(
    'In place of the policy, which is else tried as it is stored and enabled; `enabled` false tries to be without it',
  ),
  limit,
});

/** Decisions of a session that one call judges again. */
const SESSION_DECISIONS = 1000;

export const sessionReplayInput = z.object({
  before: optional(z.int().min(1)).describe('Decisions before this place of the chain'),
  limit: withDefault(z.int().min(1).max(SESSION_DECISIONS), SESSION_DECISIONS).describe(
    'How many decisions to judge, the newest first',
  ),
});
export type SessionReplayInput = z.output<typeof sessionReplayInput>;

const verdict = z.enum(['approved', 'flagged', 'blocked']);
export const sessionReplayView = z.object({
  policySetDigest: z.string().describe('Of the policies of today'),
  decisions: z.array(
    z.object({
      traceId: z.string(),
      sequence: z.int(),
      from: verdict.describe('On its day'),
      to: verdict.nullable().describe('By the policies of today; null: it is unknown'),
      policy: z
        .object({ id, name: z.string() })
        .nullable()
        .describe('The one that would block or hold it'),
      because: z
        .enum(UNKNOWN_REASONS)
        .nullable()
        .describe(
          'Why `to` is unknown; null beside a `to` of null: it would not be blocked, and whether it would be held is unknown',
        ),
    }),
  ),
  before: z
    .int()
    .nullable()
    .describe('Ask for the decisions before this place next; null: these are the first'),
});
export type SessionReplay = z.input<typeof sessionReplayView>;

const count = z.int();
export const replayView = z.object({
  _id: id,
  id,
  policyId: id.nullable(),
  workspaceId: id,
  state: z.enum(REPLAY_STATES),
  total: count.nullable().describe('Decisions to go over; null until they are counted'),
  done: count,
  allowToBlock: count.describe('Let pass (approved or held) on their day; would have been blocked'),
  blockToAllow: count.describe('Blocked on their day; would have been let pass'),
  unchanged: count,
  cannotTell: count,
  approvedToFlagged: count.describe('Of the unchanged: would have been held as well'),
  flaggedToApproved: count.describe('Of the unchanged: would not have been held'),
  halting: count.describe('Of all: the agent or the session would have been halted as well'),
  cannotTellBecause: z.object(
    Object.fromEntries(UNKNOWN_REASONS.map((reason) => [reason, count])) as Record<
      (typeof UNKNOWN_REASONS)[number],
      typeof count
    >,
  ),
  examples: z.array(
    z.object({
      traceId: z.string(),
      change: z.enum(REPLAY_CHANGES),
      from: z.string(),
      to: z.string().nullable(),
      matched: z.array(z.string()),
      because: z.enum(UNKNOWN_REASONS).nullable(),
    }),
  ),
  startedBy: id,
  createdAt: instant,
  updatedAt: instant,
  finishedAt: instant.nullable(),
});

nameSchemas({
  ReplayInput: replayInput,
  PolicyReplayInput: replayOfPolicyInput,
  Replay: replayView,
  SessionReplayInput: sessionReplayInput,
  SessionReplay: sessionReplayView,
});
