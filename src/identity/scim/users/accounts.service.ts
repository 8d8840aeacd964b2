// Accounts of provisioned members: found or created, and changed as far as a directory may (document 1, section 2).
import { truncate } from '@assay/json';
import type { Platform } from '../../../platform/platform.ts';
import { deriveDisplayName } from '../../../domain/names/display-name.ts';
import { isUnused } from '../../../domain/identity/standing.ts';
import { AppError } from '../../../errors.ts';
import { insertOne } from '../../../platform/mongo/queries.ts';
import {
  findAccountByAddress,
  findUserIdByAddress,
} from '../../auth/accounts/account-reader.service.ts';
import type { UserDocument } from '../../auth/accounts/users.model.ts';
import type { DirectoryEntry } from '../../organization/memberships/memberships.model.ts';
import {
  findMembership,
  isMemberElsewhere,
} from '../../organization/memberships/memberships.service.ts';
import { hasVerifiedDomain } from '../../organization/sso-domains/verified-domains.service.ts';
import { toAccountAddress } from './scim-user.ts';

/** The account of a new member. */
export interface ProvisionedAccount {
  userId: string;
  /** Whether the membership waits until the owner of the mailbox proves it. */
  awaitsProof: boolean;
  /** Whether the membership is only offered, because the organisation may not speak for the account or its address. */
  isPending: boolean;
}

const MAX_NAME = 200;

/** @throws AppError `SCIM_UNIQUENESS` when another member has the name, in the directory or as login */
export async function requireFreeUserName(
  platform: Platform,
  organizationId: string,
  { userName, exceptUserId }: { userName: string; exceptUserId?: string },
): Promise<void> {
  const userId = await findUserIdByAddress(platform, userName);
  const taken = await platform.models.memberships.exists({
    organizationId,
    $or: [{ 'directory.userName': userName }, ...(userId ? [{ userId }] : [])],
    ...(exceptUserId !== undefined && { userId: { $ne: exceptUserId } }),
  });
  if (taken) throw new AppError('SCIM_UNIQUENESS');
}

/**
 * Finds the account of the entry's address, or creates one without a password. The registrant of an unproved
 * address may be another person, so that membership waits for the proof.
 * @throws AppError `SCIM_UNIQUENESS` when it is a member already
 */
export async function resolveScimAccount(
  platform: Platform,
  organizationId: string,
  entry: DirectoryEntry,
): Promise<ProvisionedAccount> {
  const email = requireEmail(entry);
  const known = await findAccountByAddress(platform, email);
  if (!known) {
    const _id = platform.generateId();
    const name = truncate(deriveDisplayName(entry), MAX_NAME);
    await insertOne(platform.models.users, { _id, email, name, provisionedBy: organizationId });
    const isPending = !(await hasVerifiedDomain(platform, organizationId, email));
    return { userId: _id, awaitsProof: false, isPending };
  }
  if (await findMembership(platform, organizationId, known._id.toHexString()))
    throw new AppError('SCIM_UNIQUENESS');
  const awaitsProof = known.emailVerifiedAt === null && !isUnused(known);
  return { userId: known._id.toHexString(), awaitsProof, isPending: true };
}

/**
 * Copies a change of the directory to the account that it created: the name, and the address while the account is
 * unused. Later the address identifies the user elsewhere, and a directory could take over another account by
 * renaming.
 */
export async function syncScimAccount(
  platform: Platform,
  organizationId: string,
  { user, entry }: { user: UserDocument; entry: DirectoryEntry },
): Promise<void> {
  const isOurs = user.provisionedBy?.toHexString() === organizationId;
  if (!isOurs || (await isMemberElsewhere(platform, organizationId, user._id))) return;
  const name = truncate(deriveDisplayName(entry), MAX_NAME);
  const email = requireEmail(entry);
  const moves =
    email !== user.email && isUnused(user) && !(await findUserIdByAddress(platform, email));
  if (name === user.name && !moves) return;
  const change = { name, ...(moves && { email }) };
  await platform.models.users.updateOne({ _id: user._id }, { $set: change });
}

/** @throws AppError `SCIM_INVALID_VALUE` when the entry has no address that an account could have */
export function requireEmail(entry: DirectoryEntry): string {
  const address = toAccountAddress(entry);
  if (address !== null) return address;
  throw new AppError(
    'SCIM_INVALID_VALUE',
    'userName must be an e-mail address, or emails must have one',
  );
}
