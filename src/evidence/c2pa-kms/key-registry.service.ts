// Generations of signing keys and their public halves: one is active, none is ever deleted (document 3, section 4.7).
import { LRUCache } from 'lru-cache';
import { perInstance } from '../../platform/per-instance.ts';
import type { Platform } from '../../platform/platform.ts';
import type { PublicJwk } from '../../domain/provenance/public-key.ts';
import { isDuplicateKey } from '../../errors.ts';
import { insertOne } from '../../platform/mongo/queries.ts';
import type { KeyMaterial, SigningKey } from '../../platform/signer/signing-key.ts';
import type { KeyGeneration, SigningKeyDocument } from './signing-keys.model.ts';

type Provider = SigningKeyDocument['provider'];

/** Generations that the status shows. */
const SHOWN_GENERATIONS = 10;
const CACHED_KEYS = 1000;

/** A public key for verifiers. */
export interface PublishedKey extends PublicJwk {
  kid: string;
  alg: 'ES256';
  use: 'sig';
  x5c?: string[];
}

/** Public keys never change. */
const openPublished = perInstance(() => new LRUCache<string, PublishedKey>({ max: CACHED_KEYS }));

export function findActiveKey(
  { models }: Platform,
  provider: Provider,
): Promise<SigningKeyDocument | null> {
  return models.signingKeys.findOne({ provider, status: 'active' }).lean<SigningKeyDocument>();
}

/**
 * Makes `material` the active key, and retires the one before. Call it inside a transaction: one of two concurrent calls
 * hits a write conflict, and its transaction is retried.
 */
export async function setActiveKey(
  platform: Platform,
  provider: Provider,
  { kid, publicKey, sealed, kmsKeyId }: KeyMaterial,
): Promise<KeyGeneration> {
  const now = platform.clock.now();
  const retired = { $set: { status: 'retired', retiredAt: now } } as const;
  await platform.models.signingKeys.updateOne({ provider, status: 'active' }, retired);
  const generation = (await findNewestGeneration(platform, provider)) + 1;
  const key = { kid, provider, publicKey, sealed, kmsKeyId, mode: 'prod-jwk' } as const;
  const activated = { generation, status: 'active', activatedAt: now } as const;
  const made = await insertOne(platform.models.signingKeys, { ...key, ...activated });
  return { ...made, generation, status: 'active' };
}

/** Creates the first generation, unless another instance has just done so. */
export function ensureFirstKey(
  platform: Platform,
  provider: Provider,
  material: KeyMaterial,
): Promise<SigningKeyDocument> {
  return platform.transaction(
    async () =>
      (await findActiveKey(platform, provider)) ?? setActiveKey(platform, provider, material),
  );
}

/** Records the public half of a key that the operator provides, before it signs anything. */
export async function recordKey(
  { clock, models }: Platform,
  provider: Provider,
  { kid, mode, publicKey, certificates }: SigningKey,
): Promise<void> {
  const row = { provider, mode, publicKey, certificates: [...certificates] };
  const noted = { $setOnInsert: { ...row, activatedAt: clock.now() } };
  await models.signingKeys.updateOne({ kid }, noted, { upsert: true }).catch((error: unknown) => {
    if (!isDuplicateKey(error)) throw error;
  });
}

/** The last generations, newest first. */
export function listGenerations(
  { models }: Platform,
  provider: Provider,
): Promise<KeyGeneration[]> {
  return models.signingKeys
    .find({ provider, generation: { $gte: 1 } })
    .sort({ generation: -1 })
    .limit(SHOWN_GENERATIONS)
    .lean<KeyGeneration[]>();
}

/** Null: no key of this installation. */
export async function loadPublicKey(platform: Platform, kid: string): Promise<PublishedKey | null> {
  const published = openPublished(platform);
  const known = published.get(kid);
  if (known) return known;
  const found = await platform.models.signingKeys.findOne({ kid }).lean<SigningKeyDocument>();
  if (!found) return null;
  const key = toPublishedKey(found);
  published.set(kid, key);
  return key;
}

/** Every key that ever signed, the newest first. */
export async function listPublicKeys({ models }: Platform): Promise<PublishedKey[]> {
  const found = await models.signingKeys
    .find({})
    .sort({ activatedAt: -1, _id: -1 })
    .lean<SigningKeyDocument[]>();
  return found.map(toPublishedKey);
}

async function findNewestGeneration({ models }: Platform, provider: Provider): Promise<number> {
  const found = await models.signingKeys
    .findOne({ provider, generation: { $gte: 1 } }, 'generation')
    .sort({ generation: -1 })
    .lean<{ generation: number }>();
  return found?.generation ?? 0;
}

function toPublishedKey({ kid, publicKey, certificates }: SigningKeyDocument): PublishedKey {
  const { kty, crv, x, y } = publicKey;
  const key = { kty, crv, x, y, kid, alg: 'ES256', use: 'sig' } as const;
  return certificates.length === 0 ? key : { ...key, x5c: certificates };
}
