// The accounts behind provisioned members: whose they are, and how far a directory may change them (document 1, section 2).
import type { Platform } from '../../../composition/platform.ts';
import { AppError } from '../../../errors.ts';
import type { UserDocument } from '../../auth/accounts/users.model.ts';
import type { DirectoryEntry } from '../../organization/memberships/memberships.model.ts';
import { accountAddress, displayNameIn } from './people.service.ts';

type Deps = Pick<Platform, 'models' | 'newId'>;

const MAX_NAME = 200;

export function createAccountService({ models, newId }: Deps) {
  /** Somebody may be a member elsewhere: then the account is nobody's directory's. */
  async function belongsElsewhere(organizationId: string, user: UserDocument): Promise<boolean> {
    const other = await models.memberships
      .findOne({ userId: user._id, organizationId: { $ne: organizationId } }, '_id', {
        crossTenant: true,
      })
      .lean();
    return other !== null;
  }

  /** An account that nobody has entered yet, by whatever way, and that no credential opens. */
  const untouched = ({
    lastOrganizationId,
    passwordHash,
    emailVerifiedAt,
  }: UserDocument): boolean =>
    lastOrganizationId === null && passwordHash === null && emailVerifiedAt === null;

  return {
    /** @throws AppError `SCIM_UNIQUENESS` when another member has the name, in the directory or as login */
    async refuseTaken(
      organizationId: string,
      userName: string,
      exceptUserId?: string,
    ): Promise<void> {
      const account = await models.users
        .findOne({ email: userName }, '_id')
        .lean<Pick<UserDocument, '_id'>>();
      const taken = await models.memberships.exists({
        organizationId,
        $or: [{ 'directory.userName': userName }, ...(account ? [{ userId: account._id }] : [])],
        ...(exceptUserId !== undefined && { userId: { $ne: exceptUserId } }),
      });
      if (taken) throw new AppError('SCIM_UNIQUENESS');
    },

    /**
     * The account of the entry's address, as it is; a new one without a password where there is none. Whoever registered an
     * address without proving it may be somebody else: their membership waits for the proof.
     * @throws AppError `SCIM_UNIQUENESS` when it is a member already
     */
    async forNewMember(
      organizationId: string,
      entry: DirectoryEntry,
    ): Promise<{ userId: string; awaitsProof: boolean }> {
      const email = emailOf(entry);
      const known = await models.users.findOne({ email }).lean<UserDocument>();
      if (!known) {
        const _id = newId();
        const name = displayNameIn(entry).slice(0, MAX_NAME);
        await models.users.create([{ _id, email, name, provisionedBy: organizationId }]);
        return { userId: _id, awaitsProof: false };
      }
      if (await models.memberships.exists({ organizationId, userId: known._id }))
        throw new AppError('SCIM_UNIQUENESS');
      // From now on two organisations share the account, so neither directory changes it.
      if (known.provisionedBy !== null)
        await models.users.updateOne(
          { _id: known._id },
          { $set: { provisionedBy: null } },
          { timestamps: false },
        );
      return {
        userId: known._id.toHexString(),
        awaitsProof: known.emailVerifiedAt === null && !untouched(known),
      };
    },

    /**
     * Carries a change of the directory to the account that it made itself: the name, and the address while nobody has used the
     * account. Later the address proves who somebody is elsewhere, and a directory could rename its way into another's account.
     */
    async follow(organizationId: string, user: UserDocument, entry: DirectoryEntry): Promise<void> {
      if (
        user.provisionedBy?.toHexString() !== organizationId ||
        (await belongsElsewhere(organizationId, user))
      )
        return;
      const name = displayNameIn(entry).slice(0, MAX_NAME);
      const email = emailOf(entry);
      const moves =
        email !== user.email && untouched(user) && !(await models.users.exists({ email }));
      if (name !== user.name || moves)
        await models.users.updateOne(
          { _id: user._id },
          { $set: { name, ...(moves && { email }) } },
        );
    },
  };
}
/** @throws AppError `SCIM_INVALID_VALUE` when the entry names no address that an account could have */
export function emailOf(entry: DirectoryEntry): string {
  const address = accountAddress(entry);
  if (address === null)
    throw new AppError(
      'SCIM_INVALID_VALUE',
      'userName must be an e-mail address, or come with one in emails',
    );
  return address;
}
export type AccountService = ReturnType<typeof createAccountService>;
