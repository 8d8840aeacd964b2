// Inputs and views of halts.
import { z } from 'zod';
import { HALT_CAUSES, HALT_SCOPES, HALT_STATES } from '../../domain/halt/halt.ts';
import { optional, withDefault } from '../../http/declaration/optional.ts';
import { nameSchemas } from '../../http/declaration/schema-names.ts';
import { id, instant, multiLine, singleLine } from '../../http/declaration/views.ts';

const REASON_MAX = 500;
const TARGET_MAX = 200;

const target = singleLine(TARGET_MAX).describe(
  'An agent by id or name, a workspace by id, a person by user id, a session by the `traceId` of one of its decisions',
);
const reason = optional(multiLine(REASON_MAX).min(1)).describe('Agents and people read it');
const state = withDefault(z.enum(['halted', 'watched']), 'halted').describe(
  '`halted`: nothing is done; `watched`: a person decides each action',
);

export const haltInput = z.discriminatedUnion('scope', [
  z.object({ scope: z.literal('organization'), state, reason }),
  z.object({
    scope: z.enum(['session', 'agent', 'workspace', 'person']),
    target,
    state,
    reason,
  }),
]);
export const ownHaltInput = z.discriminatedUnion('scope', [
  z.object({
    scope: z.literal('session'),
    target: singleLine(TARGET_MAX).describe('The `traceId` of one of its decisions'),
    reason,
  }),
  z.object({
    scope: z.enum(['agent', 'workspace']),
    target: optional(singleLine(TARGET_MAX)).describe(
      'An agent by id or name; absent: that of the key',
    ),
    reason,
  }),
]);
export const resumptionInput = z.object({
  to: z.enum(['watched', 'resumed']),
  confirm: optional(z.string().regex(/^[0-9a-f]{64}$/)).describe(
    'The digest of the request that a second person confirms',
  ),
});
export const haltQuery = z.object({
  binding: optional(z.stringbool()).describe('True: those that forbid something; false: resumed'),
  scope: optional(z.enum(HALT_SCOPES)),
});

const step = z.object({
  state: z.enum(HALT_STATES),
  at: instant,
  by: z.string().nullable().describe('The user; null: a key or the service'),
  reason: z.string().nullable(),
  hashChain: z.object({ sequence: z.number().int(), chainHash: z.string() }),
});
const resumption = z
  .object({
    to: z.enum(['watched', 'resumed']),
    digest: z.string().describe('What a second person sends as `confirm`'),
    requestedBy: id,
    requestedAt: instant,
    ownerMayConfirmAt: instant.describe('When the owner who asked may confirm alone'),
    expiresAt: instant,
  })
  .describe('A request that waits for a second person');
export const haltView = z.object({
  _id: id,
  id,
  scope: z.enum(HALT_SCOPES),
  target: z.string(),
  name: z.string().nullable().describe('As people call it; null: erased'),
  state: z.enum(HALT_STATES),
  reason: z.string().nullable(),
  by: z.string().nullable().describe('The user who began it; null: a key or the service'),
  cause: z
    .enum(HALT_CAUSES)
    .nullable()
    .describe('What the service began it for by itself; null: a user or a key asked'),
  since: instant,
  resumedAt: instant.nullable(),
  hashChain: z.object({ sequence: z.number().int() }),
  resumption: resumption.nullable(),
});
export type HaltView = z.input<typeof haltView>;

const underWay = z.object({
  total: z.number().int().describe('At most 1,000 are counted'),
  items: z.array(
    z.object({
      traceId: z.string(),
      agentId: z.string(),
      agentName: z.string().nullable(),
      claimedAt: instant,
      leaseUntil: instant,
    }),
  ),
});
export const haltDetail = haltView.extend({
  history: z.array(step),
  underWay: underWay.describe('Claimed and not ended: it goes on, since it cannot be stopped'),
});
export type HaltDetail = z.input<typeof haltDetail>;

nameSchemas({ Halt: haltView, HaltDetail: haltDetail, HaltInput: haltInput });
