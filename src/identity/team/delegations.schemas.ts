// Inputs and views of delegations: who decides held decisions in the place of a member, and when.
import { z } from 'zod';
import { optional } from '../../http/declaration/optional.ts';
import { nameSchemas } from '../../http/declaration/schema-names.ts';
import { id, instant } from '../../http/declaration/views.ts';

/** Days that one delegation lasts at most. */
export const DAYS_MAX = 366;

export const delegationInput = z
  .strictObject({
    delegateId: z
      .string()
      .regex(/^[0-9a-f]{24}$/)
      .describe('A member who decides: owner, admin or reviewer'),
    from: optional(z.iso.datetime({ offset: true })).describe('Absent: now'),
    until: z.iso
      .datetime({ offset: true })
      .describe(`At most ${DAYS_MAX} days after its beginning`),
  })
  .transform(({ delegateId, from, until }) => ({
    delegateId,
    from: from === undefined ? null : new Date(from),
    until: new Date(until),
  }));

export const delegationView = z.object({
  id,
  userId: id.describe('In whose place'),
  delegateId: id.describe('Who decides'),
  from: instant,
  until: instant,
});
export type DelegationView = z.input<typeof delegationView>;
export const endedDelegationView = delegationView.extend({ ended: z.literal(true) });

nameSchemas({
  DelegationInput: delegationInput,
  Delegation: delegationView,
  EndedDelegation: endedDelegationView,
});
