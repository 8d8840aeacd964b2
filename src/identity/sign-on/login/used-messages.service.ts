// Accepts each SAML message or logout token once, across all deliveries and endpoints.
import { sha256Hex } from '../../../domain/record/chain.ts';
import { AppError, isDuplicateKey } from '../../../errors.ts';
import type { Platform } from '../../../platform/platform.ts';
import { insertOne } from '../../../platform/mongo/queries.ts';

/**
 * Call it outside a transaction: the message counts as used even if a later step fails.
 * @throws AppError `TOKEN_VERIFICATION_FAILED` from the second time on
 */
export async function useMessageOnce(
  { models }: Platform,
  organizationId: string,
  { issuer, id }: { issuer: string; id: string },
): Promise<void> {
  const digest = sha256Hex(JSON.stringify([issuer, id]));
  await insertOne(models.usedMessages, { organizationId, digest }).catch((error: unknown) => {
    if (!isDuplicateKey(error)) throw error;
    throw new AppError('TOKEN_VERIFICATION_FAILED', 'Message was used before');
  });
}
