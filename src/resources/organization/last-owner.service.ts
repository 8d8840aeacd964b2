// One active owner is always required (document 1, section 3), whoever takes an owner away, and however many at once.
import { AppError } from '../../errors.ts';
import type { Models } from '../../models.ts';

export function createLastOwner({ models }: { models: Models }) {
  return {
    /**
     * To be called in the transaction that takes an active owner away, after the change. The write on the organisation makes two
     * such transactions conflict, so that the second runs again and sees what the first left.
     * @throws AppError `VALIDATION_ERROR` when no active owner is left
     */
    async ensure(organizationId: string): Promise<void> {
      await models.organizations.updateOne(
        { _id: organizationId },
        { $inc: { membershipChanges: 1 } },
        { timestamps: false },
      );
      if (!(await models.memberships.exists({ organizationId, role: 'owner', isActive: true })))
        throw new AppError('VALIDATION_ERROR', 'The organisation needs at least one active owner');
    },
  };
}
export type LastOwner = ReturnType<typeof createLastOwner>;
