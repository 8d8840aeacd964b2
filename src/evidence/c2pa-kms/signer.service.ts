// The signer: the active key of the configured provider, its status and its rotation (document 3, section 4.7).
import { LRUCache } from 'lru-cache';
import type { Platform } from '../../platform/platform.ts';
import { AppError } from '../../errors.ts';
import type {
  KeyMaterial,
  KeySource,
  ManagedKeys,
  SignerMode,
  SignerProvider,
  SigningKey,
} from '../../platform/signer/signing-key.ts';
import type { KeyRegistry } from './key-registry.service.ts';
import type { KeyGeneration } from './signing-keys.model.ts';
import type { Rotation } from './c2pa-kms.schemas.ts';

interface Deps {
  keySource: KeySource;
  registry: KeyRegistry;
}

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

export function createSignerService(
  { logger }: Pick<Platform, 'logger'>,
  { keySource, registry }: Deps,
) {
  const { provider } = keySource;
  const open = new LRUCache<string, SigningKey>({ max: OPEN_KEYS });

  async function openKey(keys: ManagedKeys, material: KeyMaterial): Promise<SigningKey> {
    const known = open.get(material.kid);
    if (known) return known;
    const key = await keys.openKey(material);
    open.set(key.kid, key);
    return key;
  }

  /** The first generation is created on first use. */
  async function loadManagedKey(keys: ManagedKeys): Promise<SigningKey> {
    const row =
      (await registry.findActiveKey(provider)) ??
      (await registry.ensureFirstKey(provider, await requireReady(() => keys.generate())));
    return requireReady(() => openKey(keys, row));
  }

  let given: SigningKey | undefined;
  async function loadGivenKey(load: () => Promise<SigningKey>): Promise<SigningKey> {
    if (given) return given;
    const key = await requireReady(load);
    await registry.recordKey(provider, key);
    return (given ??= key);
  }

  /** The key that signs now. @throws AppError `CONFIG_ERROR`, `SERVICE_UNAVAILABLE` */
  const loadActiveKey = (): Promise<SigningKey> =>
    keySource.kind === 'managed' ? loadManagedKey(keySource) : loadGivenKey(keySource.loadKey);

  return {
    loadActiveKey,

    /** Null while the signer is not ready; the reason is logged. */
    async findReadyKey(): Promise<SigningKey | null> {
      try {
        return await loadActiveKey();
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        logger.warn({ err: error.cause ?? error, provider }, 'the signer is not ready');
        return null;
      }
    },

    /** Null also if no key exists yet: optional signatures do not create one. */
    async findExistingKey(): Promise<SigningKey | null> {
      if (keySource.kind === 'managed' && !(await registry.findActiveKey(provider))) return null;
      return this.findReadyKey();
    },

    async describeSigner(): Promise<ReadySigner | UnreadySigner> {
      const key = await this.findReadyKey();
      if (!key) {
        const error = 'The signer is not ready; the log says why';
        return { provider, ready: false, error, code: 'SIGNER_NOT_READY' };
      }
      const { kid, mode, certificates } = key;
      const history =
        keySource.kind === 'managed' ? await registry.listGenerations(provider) : null;
      const certChainDepth = certificates.length;
      return { provider, ready: true, mode, kid, alg: 'ES256', certChainDepth, history };
    },

    /** A new key, for `rotate`. @throws AppError `KMS_ROTATION_UNSUPPORTED`, `KMS_NOT_CONFIGURED`, `KMS_BAD_KEK` */
    async generateKey(): Promise<KeyMaterial> {
      if (keySource.kind === 'given') throw new AppError('KMS_ROTATION_UNSUPPORTED');
      const material = await keySource.generate();
      await openKey(keySource, material);
      return material;
    },

    /** Every call creates a new generation. Call it inside a transaction. */
    async rotate(material: KeyMaterial): Promise<Rotation> {
      const { kid, generation, activatedAt } = await registry.setActiveKey(provider, material);
      return { kid, generation, rotatedAt: activatedAt };
    },
  };
}
export type SignerService = ReturnType<typeof createSignerService>;

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
