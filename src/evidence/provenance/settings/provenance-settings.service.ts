// Provenance settings: the active key for verifiers, and the default assertions of manifests (document 3, section 2).
import type { Platform } from '../../../platform/platform.ts';
import { type Assertions, NO_ASSERTIONS } from '../../../domain/provenance/claim.ts';
import { loadPublicKey } from '../../c2pa-kms/key-registry.service.ts';
import { findReadyKey } from '../../c2pa-kms/signer.service.ts';
import type { ProvenanceSettingsDocument } from './provenance-settings.model.ts';
import type { AssertionsInput, ProvenanceSettings } from './provenance-settings.schemas.ts';
import type { Context } from '../../../platform/context.ts';

export async function loadSettings({
  platform,
  tenant: { organizationId },
}: Context): Promise<ProvenanceSettings> {
  const key = await findReadyKey(platform);
  return {
    signatureAlg: 'ecdsa-p256-jws',
    signerMode: key?.mode ?? null,
    kid: key?.kid ?? null,
    publicKey: key && (await loadPublicKey(platform, key.kid)),
    jwksUri: `${platform.publicUrl}/.well-known/jwks.json`,
    defaultAssertions: await loadDefaults(platform, organizationId),
  };
}

/** Replaces all default assertions. */
export async function replaceSettings(
  ctx: Context,
  given: AssertionsInput = {},
): Promise<ProvenanceSettings> {
  const { platform, tenant } = ctx;
  const { organizationId } = tenant;
  const defaultAssertions = JSON.stringify(withDefaults(given, NO_ASSERTIONS));
  await platform.models.provenanceSettings.updateOne(
    { organizationId },
    { $set: { defaultAssertions } },
    { upsert: true },
  );
  return loadSettings(ctx);
}

/** The assertions of a request, with the organisation's defaults for those that it omits. */
export async function resolveAssertions(
  { platform, tenant: { organizationId } }: Context,
  given: AssertionsInput = {},
): Promise<Assertions> {
  return withDefaults(given, await loadDefaults(platform, organizationId));
}

async function loadDefaults({ models }: Platform, organizationId: string): Promise<Assertions> {
  const found = await models.provenanceSettings
    .findOne({ organizationId })
    .lean<ProvenanceSettingsDocument>();
  return found ? (JSON.parse(found.defaultAssertions) as Assertions) : NO_ASSERTIONS;
}

function withDefaults(given: AssertionsInput, fallback: Assertions): Assertions {
  const { actions, ingredients, creativeWork, aiTrainingMining } = given;
  return {
    actions: actions ?? fallback.actions,
    ingredients: ingredients ?? fallback.ingredients,
    creativeWork: creativeWork === undefined ? fallback.creativeWork : creativeWork,
    aiTrainingMining: aiTrainingMining === undefined ? fallback.aiTrainingMining : aiTrainingMining,
  };
}
