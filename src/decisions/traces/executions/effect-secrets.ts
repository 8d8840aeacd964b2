// The secrets by which digests of effects and actors are keyed, one for each organisation.
import { createEffectSecrets } from '../../../domain/actions/effect-keys.ts';
import { perInstance } from '../../../platform/per-instance.ts';

/** Returns the function that finds the secret of an organisation. */
export const openEffectSecrets = perInstance(({ secrets }) =>
  createEffectSecrets(secrets.ledgerKey),
);
