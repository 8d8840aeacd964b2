// The signer: the active key of the configured provider, its status and its rotation (document 3, section 4.7).
import { LRUCache } from 'lru-cache';
import type { Platform } from '../../platform/platform.ts';
import { AppError } from '../../errors.ts';
import type {
  GivenKey,
  KeyMaterial,
  ManagedKeys,
  SignerMode,
  SignerProvider,
  SigningKey,
} from '../../platform/signer/signing-key.ts';
import {
  findActiveKey,
  listGenerations,
  setActiveKey,
  ensureFirstKey,
  recordKey,
} from './key-registry.service.ts';
import type { KeyGeneration } from './signing-keys.model.ts';
import type { Rotation } from './c2pa-kms.schemas.ts';
import { createKeySource } from '../../platform/signer/key-source.ts';
import { perInstance } from '../../platform/per-instance.ts';

/** Keys kept open: the active one, and former ones that a request still signs with. */
const OPEN_KEYS = 4;

interface ReadySigner {
  provider: SignerProvider;
  ready: true;
  mode: SignerMode;
  kid: string;
  alg: 'ES256';
  /** 0: a key without a certificate. */
  certChainDepth: number;
  /** Null: the operator gives the key. */
  history: KeyGeneration[] | null;
}

interface UnreadySigner {
  provider: SignerProvider;
  ready: false;
  error: string;
  code: 'SIGNER_NOT_READY';
}

/** `given`: the operator's key, once it is recorded. */
const openSigner = perInstance((platform) => ({
  source: createKeySource(platform),
  open: new LRUCache<string, SigningKey>({ max: OPEN_KEYS }),
  given: null as SigningKey | null,
}));

/** The key that signs now. @throws AppError `CONFIG_ERROR`, `SERVICE_UNAVAILABLE` */
export function loadActiveKey(platform: Platform): Promise<SigningKey> {
  const { source } = openSigner(platform);
  return source.kind === 'managed'
    ? loadManagedKey(platform, source)
    : loadGivenKey(platform, source);
}

/** Null while the signer is not ready; the reason is logged. */
export async function findReadyKey(platform: Platform): Promise<SigningKey | null> {
  try {
    return await loadActiveKey(platform);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { provider } = openSigner(platform).source;
    platform.logger.warn({ err: error.cause ?? error, provider }, 'the signer is not ready');
    return null;
  }
}

/** Null also if no key exists yet: optional signatures do not create one. */
export async function findExistingKey(platform: Platform): Promise<SigningKey | null> {
  const { kind, provider } = openSigner(platform).source;
  if (kind === 'managed' && !(await findActiveKey(platform, provider))) return null;
  return findReadyKey(platform);
}

export async function describeSigner(platform: Platform): Promise<ReadySigner | UnreadySigner> {
  const { kind, provider } = openSigner(platform).source;
  const key = await findReadyKey(platform);
  if (!key) {
    const error = 'The signer is not ready; the log says why';
    return { provider, ready: false, error, code: 'SIGNER_NOT_READY' };
  }
  const { kid, mode, certificates } = key;
  const history = kind === 'managed' ? await listGenerations(platform, provider) : null;
  const certChainDepth = certificates.length;
  return { provider, ready: true, mode, kid, alg: 'ES256', certChainDepth, history };
}

/** A new key, for `rotateKey`. @throws AppError `KMS_ROTATION_UNSUPPORTED`, `KMS_NOT_CONFIGURED`, `KMS_BAD_KEK` */
export async function generateKey(platform: Platform): Promise<KeyMaterial> {
  const { source } = openSigner(platform);
  if (source.kind === 'given') throw new AppError('KMS_ROTATION_UNSUPPORTED');
  const material = await source.generate();
  await openKey(platform, source, material);
  return material;
}

/** Every call creates a new generation. Call it inside a transaction. */
export async function rotateKey(platform: Platform, material: KeyMaterial): Promise<Rotation> {
  const { provider } = openSigner(platform).source;
  const { kid, generation, activatedAt } = await setActiveKey(platform, provider, material);
  return { kid, generation, rotatedAt: activatedAt };
}

async function openKey(
  platform: Platform,
  keys: ManagedKeys,
  material: KeyMaterial,
): Promise<SigningKey> {
  const { open } = openSigner(platform);
  const known = open.get(material.kid);
  if (known) return known;
  const key = await keys.openKey(material);
  open.set(key.kid, key);
  return key;
}

/** The first generation is created on first use. */
async function loadManagedKey(platform: Platform, keys: ManagedKeys): Promise<SigningKey> {
  const { provider } = keys;
  const row =
    (await findActiveKey(platform, provider)) ??
    (await ensureFirstKey(platform, provider, await requireReady(() => keys.generate())));
  return requireReady(() => openKey(platform, keys, row));
}

async function loadGivenKey(
  platform: Platform,
  { provider, loadKey }: GivenKey,
): Promise<SigningKey> {
  const signer = openSigner(platform);
  if (signer.given) return signer.given;
  const key = await requireReady(loadKey);
  await recordKey(platform, provider, key);
  return (signer.given ??= key);
}

/** Maps a failure to a configuration or a temporary error. @throws AppError `CONFIG_ERROR`, `SERVICE_UNAVAILABLE` */
async function requireReady<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof AppError) throw new AppError('CONFIG_ERROR', NOT_READY, { cause });
    throw new AppError('SERVICE_UNAVAILABLE', NOT_READY, { cause });
  }
}

const NOT_READY = 'The signer is not ready';
