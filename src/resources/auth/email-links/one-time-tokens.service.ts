// One-time tokens: issued, peeked at, tried, and used once however many requests use them at the same time.
import type { Platform } from '../../../composition/platform.ts';
import { sha256Hex } from '../../../domain/record/chain.ts';
import { AppError } from '../../../errors.ts';
import { insertOne } from '../../../platform/mongo/queries.ts';
import type { OneTimeTokenDocument, Purpose } from './one-time-tokens.model.ts';

type Deps = Pick<Platform, 'models' | 'clock' | 'randomToken'>;

export interface NewToken {
  purpose: Purpose;
  userId: string | null;
  email?: string;
  facts?: OneTimeTokenDocument['facts'];
  expiresAt: Date;
}

export function createOneTimeTokenService({ models, clock, randomToken }: Deps) {
  const live = (purpose: Purpose, raw: string) => ({
    purpose,
    tokenHash: sha256Hex(raw),
    spentAt: null,
    expiresAt: { $gt: clock.now() },
  });

  /** Why a token was not found among those that are live. */
  async function refusal(purpose: Purpose, raw: string): Promise<AppError> {
    const token = await models.oneTimeTokens.findOne({ purpose, tokenHash: sha256Hex(raw) }).lean();
    return new AppError(
      token && token.spentAt === null && token.expiresAt <= clock.now()
        ? 'EXPIRED'
        : 'INVALID_TOKEN',
    );
  }

  return {
    /** The raw token, which is in this answer only. */
    async issue({ purpose, userId, email, facts = {}, expiresAt }: NewToken): Promise<string> {
      const raw = randomToken();
      const tokenHash = sha256Hex(raw);
      const sentTo = email ?? null;
      const row = { purpose, tokenHash, userId, email: sentTo, facts, expiresAt };
      await insertOne(models.oneTimeTokens, row);
      return raw;
    },

    /** Looks without using. @throws AppError `INVALID_TOKEN` for an unknown, used or void one, `EXPIRED` */
    async peek(purpose: Purpose, raw: string): Promise<OneTimeTokenDocument> {
      const token = await models.oneTimeTokens
        .findOne(live(purpose, raw))
        .lean<OneTimeTokenDocument>();
      if (!token) throw await refusal(purpose, raw);
      return token;
    },

    /** Uses a token up: of any number of simultaneous calls one succeeds. @throws AppError as `peek` */
    async use(purpose: Purpose, raw: string): Promise<OneTimeTokenDocument> {
      const token = await models.oneTimeTokens
        .findOneAndUpdate(live(purpose, raw), { $set: { spentAt: clock.now() } })
        .lean<OneTimeTokenDocument>();
      if (!token) throw await refusal(purpose, raw);
      return token;
    },

    /** Takes one of `most` tries; the next one finds the token spent. @throws AppError as `peek` */
    async attempt(purpose: Purpose, raw: string, most: number): Promise<OneTimeTokenDocument> {
      const token = await models.oneTimeTokens
        .findOneAndUpdate(
          { ...live(purpose, raw), attempts: { $lt: most } },
          { $inc: { attempts: 1 } },
        )
        .lean<OneTimeTokenDocument>();
      if (!token) throw await refusal(purpose, raw);
      return token;
    },

    /** Makes earlier tokens of a purpose for an address void: only the newest link works. */
    async voidSent(purpose: Purpose, email: string): Promise<void> {
      await models.oneTimeTokens.updateMany(
        { purpose, email, spentAt: null },
        { $set: { spentAt: clock.now() } },
      );
    },

    /** Makes every token of a user void. */
    async voidAllOf(userId: string): Promise<void> {
      await models.oneTimeTokens.updateMany(
        { userId, spentAt: null },
        { $set: { spentAt: clock.now() } },
      );
    },
  };
}
export type OneTimeTokenService = ReturnType<typeof createOneTimeTokenService>;
