// Inputs and views of groups of held and blocked decisions (decisions: reviews).
import { z } from 'zod';
import { ALIKE_MARK } from '../../../domain/review/alike-mark.ts';
import { optional } from '../../../http/declaration/optional.ts';
import { nameSchemas } from '../../../http/declaration/schema-names.ts';
import { from, id, instant, to } from '../../../http/declaration/views.ts';

/** The longest that a group is muted, in days. */
export const MUTE_DAYS = 90;

const groupId = z.string().regex(ALIKE_MARK, 'must be the id of a group');
/** Decisions of one group, in a filter. */
export const groupParam = groupId.describe('Those of one group of `GET /traces/groups`');
export const byGroup = z.object({ group: groupId });

export const groupsQuery = z.object({
  state: optional(z.enum(['waiting', 'blocked'])).describe(
    'Groups with decisions that wait for a person, or that were blocked; absent: all',
  ),
  muted: optional(z.stringbool()).describe('`true`: muted groups alone; absent: all others'),
  dateFrom: optional(from),
  dateTo: optional(to),
});
export type GroupsQuery = z.output<typeof groupsQuery>;

export const muteInput = z.strictObject({
  until: from.describe(`When the group is heard of again, at most ${MUTE_DAYS} days from now`),
});

const mute = z
  .object({ until: instant, by: id })
  .describe('Until then it is listed apart; its decisions wait as before');
export type Mute = z.input<typeof mute>;

export const decisionGroupView = z.object({
  group: z.string().describe('Names it in `group` of the review queue and of the decisions'),
  policy: z.object({ name: z.string(), reason: z.string() }).nullable(),
  policyId: z.string().nullable().describe('The policy that decided; null: a setting, or erased'),
  tools: z.array(z.string()).describe('What its decisions call; empty: the action is a text'),
  count: z.number().int(),
  waiting: z.number().int().describe('Those that wait for a person'),
  approved: z.number().int().describe('Those that a person approved'),
  blocked: z.number().int().describe('Those that a policy blocked'),
  firstAt: instant,
  lastAt: instant,
  days: z
    .array(z.object({ day: z.iso.date(), count: z.number().int() }))
    .describe('By day of UTC, the earliest first; days without any are left out'),
  newest: z.array(z.string()).describe('`traceId` of its newest five decisions'),
  muted: mute.nullable(),
});
export type DecisionGroup = z.input<typeof decisionGroupView>;

export const groupsExtra = z.object({
  since: instant
    .nullable()
    .describe('When the oldest decision was made that was counted; null: all were'),
});

nameSchemas({ DecisionGroup: decisionGroupView, MuteInput: muteInput, Mute: mute });
