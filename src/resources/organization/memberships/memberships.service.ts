// Memberships: changed one after the other within an organisation, so that an active owner always remains (document 1, section 3).
import { AppError } from '../../../errors.ts';
import type { Models } from '../../../models.ts';
import type { MembershipDocument } from './memberships.model.ts';

type Change = Partial<
  Pick<MembershipDocument, 'role' | 'roleMapped' | 'isActive' | 'deactivatedBy'>
>;

/** Everything here belongs into a transaction. */
export function createMembershipService({ models }: { models: Models }) {
  /** @throws AppError `VALIDATION_ERROR` when no active owner is left, and the transaction with it */
  async function requireOwner(organizationId: string): Promise<void> {
    if (!(await models.memberships.exists({ organizationId, role: 'owner', isActive: true })))
      throw new AppError('VALIDATION_ERROR', 'An organisation needs an active owner');
  }

  async function keepOwner({ organizationId, role, isActive }: MembershipDocument): Promise<void> {
    if (role === 'owner' && isActive) await requireOwner(organizationId.toHexString());
  }

  /**
   * Comes first: of two transactions that both write here one waits for the other, and then sees what it did.
   * @throws AppError `NOT_FOUND` when the organisation is gone
   */
  async function lock(organizationId: string): Promise<void> {
    const { matchedCount } = await models.organizations.updateOne(
      { _id: organizationId },
      { $inc: { membershipChanges: 1 } },
      { timestamps: false },
    );
    if (matchedCount === 0) throw new AppError('NOT_FOUND', 'No such organisation');
  }

  return {
    lock,

    /** For changes that were made elsewhere: that an owner went away is seen here. @throws AppError `VALIDATION_ERROR` */
    async ownerLost(organizationId: string): Promise<void> {
      await lock(organizationId);
      await requireOwner(organizationId);
    },

    /** Whether no other owner is active. */
    async isLastOwner({ _id, organizationId }: MembershipDocument): Promise<boolean> {
      const other = { organizationId, role: 'owner' as const, isActive: true, _id: { $ne: _id } };
      return (await models.memberships.exists(other)) === null;
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
