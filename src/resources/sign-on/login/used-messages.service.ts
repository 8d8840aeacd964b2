// Accepts each SAML message once, however often and at however many endpoints it is delivered.
import { sha256Hex } from '../../../domain/record/chain.ts';
import { AppError, isDuplicateKey } from '../../../errors.ts';
import type { Models } from '../../../models.ts';
import { insertOne } from '../../../platform/mongo/queries.ts';

export function createSamlMessageService({ models }: { models: Models }) {
  return {
    /**
     * Outside of a transaction: a message is used up also when what follows fails.
     * @throws AppError `TOKEN_VERIFICATION_FAILED` from the second time on
     */
    async useOnce(organizationId: string, issuer: string, id: string): Promise<void> {
      const digest = sha256Hex(JSON.stringify([issuer, id]));
      await insertOne(models.samlMessages, { organizationId, digest }).catch((error: unknown) => {
        if (!isDuplicateKey(error)) throw error;
        throw new AppError('TOKEN_VERIFICATION_FAILED', 'SAML message was used before');
      });
    },
  };
}
export type SamlMessageService = ReturnType<typeof createSamlMessageService>;
