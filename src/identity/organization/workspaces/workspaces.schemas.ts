// Inputs and views of workspaces (document 1, section 1; settings of reviews: docs/guides/reviews.md).
import { z } from 'zod';
import { EXPIRY_SECONDS, REVIEW_PRIORITIES } from '@assay/policy';
import { nameSchemas } from '../../../http/declaration/schema-names.ts';
import { hasChanges, optional } from '../../../http/declaration/optional.ts';
import { AGENT_CREDENTIALS } from '../../../domain/workload/agent-credentials.ts';
import { APPROVALS, MATURING_DAYS } from '../../../domain/automatic-approval.ts';
import { IDLE_HOURS_MAX, SESSION_NAMES } from '../../../domain/sessions/session-rules.ts';
import { LINK_PROOFS } from '../../../domain/review/link-proof.ts';
import {
  INVOLVEMENTS,
  PREVENTIONS,
  type SelfReviewRules,
} from '../../../domain/review/self-review.ts';
import { id, idParam, instant, singleLine } from '../../../http/declaration/views.ts';
import { secondWordView } from '../organization.schemas.ts';

/** A year. */
const HOURS_MAX = 8760;
const hours = z.number().positive().max(HOURS_MAX).nullable();

const expirySeconds = z.number().int().min(EXPIRY_SECONDS.min).max(EXPIRY_SECONDS.max);

const mapPriorities = <T extends z.ZodType>(schema: T) =>
  Object.fromEntries(REVIEW_PRIORITIES.map((priority) => [priority, schema])) as Record<
    (typeof REVIEW_PRIORITIES)[number],
    T
  >;

const mapInvolvements = <T extends z.ZodType>(schema: T) =>
  Object.fromEntries(INVOLVEMENTS.map((kind) => [kind, schema])) as Record<
    keyof SelfReviewRules,
    T
  >;
const prevention = z.enum(PREVENTIONS);

const autoApproval = z.strictObject({
  approvals: z.number().int().min(APPROVALS.min).max(APPROVALS.max),
  days: z.number().int().min(MATURING_DAYS.min).max(MATURING_DAYS.max),
});

const observed = z.strictObject({ review: z.boolean() });

const sessionRules = {
  by: z.enum(SESSION_NAMES),
  idleHours: z.number().int().min(1).max(IDLE_HOURS_MAX),
};

export const workspaceInput = z.strictObject({ name: singleLine(100) });
export const workspaceChange = z
  .strictObject({
    name: optional(singleLine(100)),
    escalationPolicy: optional(
      z.strictObject({
        escalateTo: idParam.nullable().describe('An active member; null: an owner'),
      }),
    ),
    reviewSla: optional(z.strictObject(mapPriorities(optional(hours)))).describe(
      'Hours by priority, from when a decision is held; null: no deadline',
    ),
    reviewExpiry: optional(z.strictObject({ expiresIn: expirySeconds }).nullable()).describe(
      'Seconds after which a hold ends without a verdict, and its decision is blocked; null: never',
    ),
    observed: optional(observed).describe(
      'Decisions after the fact, such as those from spans. `review`: whether a person reviews what a policy would have held; else it is approved with the tag OBSERVED_HOLD',
    ),
    reviewLinks: optional(z.enum(LINK_PROOFS)).describe(
      'How people decide by links of mails and chats: signed in, or (mails) by the link alone; `off`: messages lead to the console',
    ),
    preventSelfReview: optional(z.strictObject(mapInvolvements(optional(prevention)))).describe(
      'Whether those may not decide a held decision whom its `actor` names, who made the key that posted it, who registered its agent. `where-possible`: only while another person may decide it',
    ),
    keys: optional(z.enum(AGENT_CREDENTIALS)).describe(
      'By which credentials its agents act. `workload`: by run tokens alone; the keys of its agents are refused',
    ),
    sessions: optional(
      z.strictObject({
        by: optional(sessionRules.by),
        idleHours: optional(sessionRules.idleHours),
      }),
    ).describe(
      'What policies on sessions count as one. `by: agent`: all that an agent does, whatever it names. `idleHours`: hours without a decision after which a session begins again',
    ),
    autoApproval: optional(autoApproval.nullable()).describe(
      'When the service may approve held decisions itself: persons approved that number of the pattern in a row, the first of them at least that number of days ago; null: never. Where policies change by approval only, a looser one takes a second person',
    ),
  })
  .refine(hasChanges, 'nothing to change');
export type WorkspaceChange = z.output<typeof workspaceChange>;

export const workspaceView = z.object({
  _id: id,
  organizationId: id,
  name: z.string(),
  isDefault: z.boolean(),
  escalationPolicy: z.object({ escalateTo: id.nullable() }),
  reviewSla: z.object(mapPriorities(z.number().nullable())),
  reviewExpiry: z.object({ expiresIn: z.number() }).nullable(),
  observed,
  reviewLinks: z.enum(LINK_PROOFS),
  preventSelfReview: z.object(mapInvolvements(prevention)),
  keys: z.enum(AGENT_CREDENTIALS),
  sessions: z.object(sessionRules),
  autoApproval: autoApproval.nullable(),
  autoApprovalRequest: secondWordView
    .extend({ autoApproval })
    .exactOptional()
    .describe('A looser one was asked for, and waits for a second person'),
  createdAt: instant,
  updatedAt: instant,
});

nameSchemas({
  WorkspaceInput: workspaceInput,
  WorkspaceChange: workspaceChange,
  Workspace: workspaceView,
});
