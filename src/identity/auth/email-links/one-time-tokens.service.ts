// One-time tokens: issued, looked up, attempted, and consumed exactly once by any number of simultaneous requests.
import type { Platform } from '../../../platform/platform.ts';
import { sha256Hex } from '../../../domain/record/chain.ts';
import { AppError } from '../../../errors.ts';
import { insertOne } from '../../../platform/mongo/queries.ts';
import type { OneTimeTokenDocument, Purpose } from './one-time-tokens.model.ts';

type Deps = Pick<Platform, 'models' | 'clock' | 'generateToken'>;

export interface NewToken {
  purpose: Purpose;
  userId: string | null;
  email?: string;
  facts?: OneTimeTokenDocument['facts'];
  expiresAt: Date;
}

export function createOneTimeTokenService({ models, clock, generateToken: randomToken }: Deps) {
  const toLiveFilter = (purpose: Purpose, raw: string) => ({
    purpose,
    tokenHash: sha256Hex(raw),
    spentAt: null,
    expiresAt: { $gt: clock.now() },
  });

  /** Explains why a token is not live. */
  async function explainRefusal(purpose: Purpose, raw: string): Promise<AppError> {
    const token = await models.oneTimeTokens.findOne({ purpose, tokenHash: sha256Hex(raw) }).lean();
    return new AppError(
      token && token.spentAt === null && token.expiresAt <= clock.now()
        ? 'EXPIRED'
        : 'INVALID_TOKEN',
    );
  }

  return {
    /** Returns the raw token, which is not stored. */
    async issue({ purpose, userId, email, facts = {}, expiresAt }: NewToken): Promise<string> {
      const raw = randomToken();
      const tokenHash = sha256Hex(raw);
      const sentTo = email ?? null;
      const row = { purpose, tokenHash, userId, email: sentTo, facts, expiresAt };
      await insertOne(models.oneTimeTokens, row);
      return raw;
    },

    /**
     * Finds a token without consuming it.
     * @throws AppError `INVALID_TOKEN` for an unknown, used or revoked one, `EXPIRED`
     */
    async findToken(purpose: Purpose, raw: string): Promise<OneTimeTokenDocument> {
      const token = await models.oneTimeTokens
        .findOne(toLiveFilter(purpose, raw))
        .lean<OneTimeTokenDocument>();
      if (!token) throw await explainRefusal(purpose, raw);
      return token;
    },

    /** Consumes a token: of any number of simultaneous calls one succeeds. @throws AppError as `findToken` */
    async consumeToken(purpose: Purpose, raw: string): Promise<OneTimeTokenDocument> {
      const token = await models.oneTimeTokens
        .findOneAndUpdate(toLiveFilter(purpose, raw), { $set: { spentAt: clock.now() } })
        .lean<OneTimeTokenDocument>();
      if (!token) throw await explainRefusal(purpose, raw);
      return token;
    },

    /** Counts one of at most `most` attempts. @throws AppError as `findToken`, also beyond the last attempt */
    async attempt(purpose: Purpose, raw: string, most: number): Promise<OneTimeTokenDocument> {
      const token = await models.oneTimeTokens
        .findOneAndUpdate(
          { ...toLiveFilter(purpose, raw), attempts: { $lt: most } },
          { $inc: { attempts: 1 } },
        )
        .lean<OneTimeTokenDocument>();
      if (!token) throw await explainRefusal(purpose, raw);
      return token;
    },

    /** Revokes earlier tokens of a purpose for an address: only the newest link works. */
    async revokeSentTokens(purpose: Purpose, email: string): Promise<void> {
      await models.oneTimeTokens.updateMany(
        { purpose, email, spentAt: null },
        { $set: { spentAt: clock.now() } },
      );
    },

    /** Revokes every token of a user. */
    async revokeUserTokens(userId: string): Promise<void> {
      await models.oneTimeTokens.updateMany(
        { userId, spentAt: null },
        { $set: { spentAt: clock.now() } },
      );
    },
  };
}
export type OneTimeTokenService = ReturnType<typeof createOneTimeTokenService>;
