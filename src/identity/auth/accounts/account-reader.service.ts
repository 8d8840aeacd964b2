// The one way by which other resources read accounts: a person's name, address, preferences, or the whole account.
import type { mongo, Types } from 'mongoose';
import { perInstance } from '../../../platform/per-instance.ts';
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

/** Addresses are given as they are stored: normalised. Every answer is null when there is no such account. */
function createAccountReader({ models }: Pick<Platform, 'models'>) {
  const findAccount = (userId: Id): Promise<UserDocument | null> =>
    models.users.findById(userId).lean<UserDocument>();

  return {
    findAccount,

    findByAddress(email: string): Promise<UserDocument | null> {
      return models.users.findOne({ email }).lean<UserDocument>();
    },

    findByIdentity({
      issuer,
      subject,
    }: Pick<SocialIdentity, 'issuer' | 'subject'>): Promise<UserDocument | null> {
      return models.users
        .findOne({ identities: { $elemMatch: { issuer, subject } } })
        .lean<UserDocument>();
    },

    async findIdByAddress(email: string): Promise<Types.ObjectId | null> {
      const found = await models.users.findOne({ email }, '_id').lean<{ _id: Types.ObjectId }>();
      return found && found._id;
    },

    async findName(userId: Id): Promise<string | null> {
      const found = await models.users.findById(userId, 'name').lean<{ name: string }>();
      return found && found.name;
    },

    async findAddress(userId: Id): Promise<string | null> {
      const found = await models.users.findById(userId, 'email').lean<{ email: string }>();
      return found && found.email;
    },

    findMailbox(userId: Id): Promise<Mailbox | null> {
      return models.users.findById(userId, MAILBOX).lean<Mailbox>();
    },

    /** Lists what those of the accounts that exist prefer. */
    async listPreferences(
      userIds: readonly Types.ObjectId[],
      session?: mongo.ClientSession,
    ): Promise<AccountPreferences[]> {
      const found = await models.users
        .find({ _id: { $in: userIds } }, 'preferences', session ? { session } : {})
        .lean<Pick<UserDocument, '_id' | 'preferences'>[]>();
      return found.map(({ _id, preferences = {} }) => ({ userId: _id, preferences }));
    },

    /** Joins each row with its account; rows without one are left out. */
    async joinAccounts<R extends { userId: Types.ObjectId }>(
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
    },
  };
}
export const openAccountReader = perInstance(createAccountReader);
export type AccountReader = ReturnType<typeof createAccountReader>;
