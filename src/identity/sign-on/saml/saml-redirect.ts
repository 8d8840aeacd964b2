// Signs redirects to SAML providers with the key of the installation.
import { createSamlRedirect } from '@assay/saml';
import { perInstance } from '../../../platform/per-instance.ts';

export const openSamlRedirect = perInstance(({ config }) =>
  createSamlRedirect(config.ASSAY_SAML_KEY ?? null),
);
