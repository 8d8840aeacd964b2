// Acting upon a SAML message once, however often and at however many endpoints it arrives.
import { sha256Hex } from '../../../domain/record/chain.ts';
import { AppError, isDuplicateKey } from '../../../errors.ts';
import type { Models } from '../../../models.ts';

export function createSamlMessageService({ models }: { models: Models }) {
  return {
    /**
     * Outside of a transaction, so that what follows and fails uses the message up as well.
     * @throws AppError `TOKEN_VERIFICATION_FAILED` from the second time on
     */
    async useOnce(organizationId: string, issuer: string, id: string): Promise<void> {
      const digest = sha256Hex(JSON.stringify([issuer, id]));
      await models.samlMessages.create([{ organizationId, digest }]).catch((error: unknown) => {
        if (!isDuplicateKey(error)) throw error;
        throw new AppError('TOKEN_VERIFICATION_FAILED', 'The message has been used already');
      });
    },
  };
}
export type SamlMessageService = ReturnType<typeof createSamlMessageService>;
