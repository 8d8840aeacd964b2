// The one way by which other resources read accounts: a person's name, address, preferences, or the whole account.
// Addresses are given as they are stored: normalised. Every answer is null when there is no such account.
import type { mongo, Types } from 'mongoose';
import type { Platform } from '../../../platform/platform.ts';
import type { Preferences, SocialIdentity, UserDocument } from './users.model.ts';

/** Whom a mail reaches, and which mails the person takes. */
export interface Mailbox {
  email: string;
  name: string;
  emailVerifiedAt: Date | null;
  passwordChangedAt: Date | null;
  /** Absent in accounts of earlier versions, like its members. */
  preferences?: Partial<Preferences>;
}

export interface AccountPreferences {
  userId: Types.ObjectId;
  preferences: Partial<Preferences>;
}

type Id = string | Types.ObjectId;

const MAILBOX = 'email name emailVerifiedAt passwordChangedAt preferences';

export function findAccount({ models }: Platform, userId: Id): Promise<UserDocument | null> {
  return models.users.findById(userId).lean<UserDocument>();
}

export function findAccountByAddress(
  { models }: Platform,
  email: string,
): Promise<UserDocument | null> {
  return models.users.findOne({ email }).lean<UserDocument>();
}

export function findAccountByIdentity(
  { models }: Platform,
  { issuer, subject }: Pick<SocialIdentity, 'issuer' | 'subject'>,
): Promise<UserDocument | null> {
  return models.users
    .findOne({ identities: { $elemMatch: { issuer, subject } } })
    .lean<UserDocument>();
}

export async function findUserIdByAddress(
  { models }: Platform,
  email: string,
): Promise<Types.ObjectId | null> {
  const found = await models.users.findOne({ email }, '_id').lean<{ _id: Types.ObjectId }>();
  return found && found._id;
}

export async function findUserName({ models }: Platform, userId: Id): Promise<string | null> {
  const found = await models.users.findById(userId, 'name').lean<{ name: string }>();
  return found && found.name;
}

export async function findUserAddress({ models }: Platform, userId: Id): Promise<string | null> {
  const found = await models.users.findById(userId, 'email').lean<{ email: string }>();
  return found && found.email;
}

export function findMailbox({ models }: Platform, userId: Id): Promise<Mailbox | null> {
  return models.users.findById(userId, MAILBOX).lean<Mailbox>();
}

/** Lists what those of the accounts that exist prefer. */
export async function listPreferences(
  { models }: Platform,
  userIds: readonly Types.ObjectId[],
  session?: mongo.ClientSession,
): Promise<AccountPreferences[]> {
  const found = await models.users
    .find({ _id: { $in: userIds } }, 'preferences', session ? { session } : {})
    .lean<Pick<UserDocument, '_id' | 'preferences'>[]>();
  return found.map(({ _id, preferences = {} }) => ({ userId: _id, preferences }));
}

/** Counts those of the accounts that have a second factor. */
export async function countSecondFactors(
  { models }: Platform,
  userIds: readonly Types.ObjectId[],
): Promise<number> {
  return models.users.countDocuments({ _id: { $in: userIds }, 'mfa.enabled': true });
}

/** Joins each row with its account; rows without one are left out. */
export async function joinAccounts<R extends { userId: Types.ObjectId }>(
  { models }: Platform,
  rows: readonly R[],
): Promise<{ row: R; user: UserDocument }[]> {
  const users = await models.users
    .find({ _id: { $in: rows.map(({ userId }) => userId) } })
    .lean<UserDocument[]>();
  const byId = new Map(users.map((user) => [user._id.toHexString(), user]));
  return rows.flatMap((row) => {
    const user = byId.get(row.userId.toHexString());
    return user ? [{ row, user }] : [];
  });
}
