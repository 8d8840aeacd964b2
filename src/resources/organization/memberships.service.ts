// Memberships: changed one after the other within an organisation, so that an active owner always remains (document 1, section 3).
import { AppError } from '../../errors.ts';
import type { Models } from '../../models.ts';
import type { MembershipDocument } from './memberships.model.ts';

type Change = Partial<Pick<MembershipDocument, 'role' | 'isActive' | 'deactivatedBy'>>;

/** Everything here belongs into a transaction. */
export function createMembershipService({ models }: { models: Models }) {
  /** Whoever took the organisation away from its last active owner is refused, and the transaction with it. */
  async function keepOwner({ organizationId, role, isActive }: MembershipDocument): Promise<void> {
    if (role !== 'owner' || !isActive) return;
    if (!(await models.memberships.exists({ organizationId, role: 'owner', isActive: true })))
      throw new AppError('VALIDATION_ERROR', 'An organisation needs an active owner');
  }

  return {
    /**
     * Comes first: of two transactions that both write here one waits for the other, and then sees what it did.
     * @throws AppError `NOT_FOUND` when the organisation is gone
     */
    async lock(organizationId: string): Promise<void> {
      const { matchedCount } = await models.organizations.updateOne(
        { _id: organizationId },
        { $inc: { membershipChanges: 1 } },
        { timestamps: false },
      );
      if (matchedCount === 0) throw new AppError('NOT_FOUND', 'No such organisation');
    },

    find(organizationId: string, userId: string): Promise<MembershipDocument | null> {
      return models.memberships.findOne({ organizationId, userId }).lean<MembershipDocument>();
    },

    /** @throws AppError `VALIDATION_ERROR` when no active owner would remain */
    async change(before: MembershipDocument, change: Change): Promise<MembershipDocument> {
      const { _id, organizationId } = before;
      const after = await models.memberships
        .findOneAndUpdate({ _id, organizationId }, { $set: change }, { returnDocument: 'after' })
        .lean<MembershipDocument>();
      if (!after) throw new AppError('NOT_FOUND');
      await keepOwner(before);
      return after;
    },

    /** @throws AppError `VALIDATION_ERROR` when no active owner would remain */
    async remove(before: MembershipDocument): Promise<void> {
      const { _id, organizationId } = before;
      await models.memberships.deleteOne({ _id, organizationId });
      await keepOwner(before);
    },
  };
}
export type MembershipService = ReturnType<typeof createMembershipService>;
