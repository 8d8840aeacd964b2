// One-time tokens: issued, looked up, attempted, and consumed exactly once by any number of simultaneous requests.
import type { Platform } from '../../../platform/platform.ts';
import { sha256Hex } from '../../../domain/record/chain.ts';
import { AppError } from '../../../errors.ts';
import { insertOne } from '../../../platform/mongo/queries.ts';
import type { OneTimeTokenDocument, Purpose } from './one-time-tokens.model.ts';

export interface NewToken {
  purpose: Purpose;
  userId: string | null;
  email?: string;
  facts?: OneTimeTokenDocument['facts'];
  expiresAt: Date;
}

/** Returns the raw token, which is not stored. */
export async function issueToken(
  { generateToken, models }: Platform,
  { purpose, userId, email, facts = {}, expiresAt }: NewToken,
): Promise<string> {
  const raw = generateToken();
  const tokenHash = sha256Hex(raw);
  const sentTo = email ?? null;
  const row = { purpose, tokenHash, userId, email: sentTo, facts, expiresAt };
  await insertOne(models.oneTimeTokens, row);
  return raw;
}

/**
 * Finds a token without consuming it.
 * @throws AppError `INVALID_TOKEN` for an unknown, used or revoked one, `EXPIRED`
 */
export async function findToken(
  platform: Platform,
  purpose: Purpose,
  raw: string,
): Promise<OneTimeTokenDocument> {
  const token = await platform.models.oneTimeTokens
    .findOne(toLiveFilter(platform, purpose, raw))
    .lean<OneTimeTokenDocument>();
  if (!token) throw await explainRefusal(platform, purpose, raw);
  return token;
}

/** Consumes a token: of any number of simultaneous calls one succeeds. @throws AppError as `findToken` */
export async function consumeToken(
  platform: Platform,
  purpose: Purpose,
  raw: string,
): Promise<OneTimeTokenDocument> {
  const token = await platform.models.oneTimeTokens
    .findOneAndUpdate(toLiveFilter(platform, purpose, raw), {
      $set: { spentAt: platform.clock.now() },
    })
    .lean<OneTimeTokenDocument>();
  if (!token) throw await explainRefusal(platform, purpose, raw);
  return token;
}

/** Counts one of at most `most` attempts. @throws AppError as `findToken`, also beyond the last attempt */
export async function attemptToken(
  platform: Platform,
  { purpose, raw }: { purpose: Purpose; raw: string },
  most: number,
): Promise<OneTimeTokenDocument> {
  const token = await platform.models.oneTimeTokens
    .findOneAndUpdate(
      { ...toLiveFilter(platform, purpose, raw), attempts: { $lt: most } },
      { $inc: { attempts: 1 } },
    )
    .lean<OneTimeTokenDocument>();
  if (!token) throw await explainRefusal(platform, purpose, raw);
  return token;
}

/** Revokes earlier tokens of a purpose for an address: only the newest link works. */
export async function revokeSentTokens(
  { models, clock }: Platform,
  purpose: Purpose,
  email: string,
): Promise<void> {
  await models.oneTimeTokens.updateMany(
    { purpose, email, spentAt: null },
    { $set: { spentAt: clock.now() } },
  );
}

/** Revokes every token of a user. */
export async function revokeUserTokens({ models, clock }: Platform, userId: string): Promise<void> {
  await models.oneTimeTokens.updateMany(
    { userId, spentAt: null },
    { $set: { spentAt: clock.now() } },
  );
}

const toLiveFilter = ({ clock }: Platform, purpose: Purpose, raw: string) => ({
  purpose,
  tokenHash: sha256Hex(raw),
  spentAt: null,
  expiresAt: { $gt: clock.now() },
});

/** Explains why a token is not live. */
async function explainRefusal(
  { models, clock }: Platform,
  purpose: Purpose,
  raw: string,
): Promise<AppError> {
  const token = await models.oneTimeTokens.findOne({ purpose, tokenHash: sha256Hex(raw) }).lean();
  return new AppError(
    token && token.spentAt === null && token.expiresAt <= clock.now() ? 'EXPIRED' : 'INVALID_TOKEN',
  );
}
