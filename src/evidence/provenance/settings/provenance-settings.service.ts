// Provenance settings: the active key for verifiers, and the default assertions of manifests (document 3, section 2).
import type { Platform } from '../../../platform/platform.ts';
import type { Tenant } from '../../../domain/identity/tenant.ts';
import { type Assertions, NO_ASSERTIONS } from '../../../domain/provenance/claim.ts';
import type { KeyRegistry } from '../../c2pa-kms/key-registry.service.ts';
import type { SignerService } from '../../c2pa-kms/signer.service.ts';
import type { ProvenanceSettingsDocument } from './provenance-settings.model.ts';
import type { AssertionsInput, ProvenanceSettings } from './provenance-settings.schemas.ts';

interface Deps {
  signer: SignerService;
  keys: KeyRegistry;
}

export function createProvenanceSettingsService(
  { models, publicUrl }: Pick<Platform, 'models' | 'publicUrl'>,
  { signer, keys }: Deps,
) {
  async function loadDefaults(organizationId: string): Promise<Assertions> {
    const found = await models.provenanceSettings
      .findOne({ organizationId })
      .lean<ProvenanceSettingsDocument>();
    return found ? (JSON.parse(found.defaultAssertions) as Assertions) : NO_ASSERTIONS;
  }

  async function loadSettings({ organizationId }: Tenant): Promise<ProvenanceSettings> {
    const key = await signer.findReadyKey();
    return {
      signatureAlg: 'ecdsa-p256-jws',
      signerMode: key?.mode ?? null,
      kid: key?.kid ?? null,
      publicKey: key && (await keys.loadPublicKey(key.kid)),
      jwksUri: `${publicUrl}/.well-known/jwks.json`,
      defaultAssertions: await loadDefaults(organizationId),
    };
  }

  return {
    loadSettings,

    /** Replaces all default assertions. */
    async replace(tenant: Tenant, given: AssertionsInput = {}): Promise<ProvenanceSettings> {
      const { organizationId } = tenant;
      const defaultAssertions = JSON.stringify(withDefaults(given, NO_ASSERTIONS));
      await models.provenanceSettings.updateOne(
        { organizationId },
        { $set: { defaultAssertions } },
        { upsert: true },
      );
      return loadSettings(tenant);
    },

    /** The assertions of a request, with the organisation's defaults for those that it omits. */
    async resolveAssertions(
      { organizationId }: Tenant,
      given: AssertionsInput = {},
    ): Promise<Assertions> {
      return withDefaults(given, await loadDefaults(organizationId));
    },
  };
}
export type ProvenanceSettingsService = ReturnType<typeof createProvenanceSettingsService>;

function withDefaults(given: AssertionsInput, fallback: Assertions): Assertions {
  const { actions, ingredients, creativeWork, aiTrainingMining } = given;
  return {
    actions: actions ?? fallback.actions,
    ingredients: ingredients ?? fallback.ingredients,
    creativeWork: creativeWork === undefined ? fallback.creativeWork : creativeWork,
    aiTrainingMining: aiTrainingMining === undefined ? fallback.aiTrainingMining : aiTrainingMining,
  };
}
