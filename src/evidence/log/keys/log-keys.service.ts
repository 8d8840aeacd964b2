// The keys of the installation's logs: made once and stored encrypted, or given by the operator.
import { createPrivateKey, createPublicKey, generateKeyPair, sign } from 'node:crypto';
import { LOG_KEY, type SignNote, type VerifierKey, toRawPublicKey } from '@assay/tlog';
import type { Platform } from '../../../platform/platform.ts';
import { perInstance } from '../../../platform/per-instance.ts';
import { createKmsNoteKey } from '../../../platform/signer/kms-note-key.ts';
import { isDuplicateKey } from '../../../errors.ts';
import type { LogKeyDocument, LogKeyPurpose } from './log-keys.model.ts';

/** A key that is ready to sign under any name of this installation. */
export interface NoteSigner {
  host: string;
  publicKey: Buffer;
  sign: SignNote;
}

type OpenKey = () => Promise<NoteKey>;

const toKeyAad = (purpose: LogKeyPurpose): string => `log key ${purpose}`;

const createGivenKey = (pem: string | undefined): OpenKey | null =>
  pem === undefined ? null : () => Promise.resolve(openNoteKey(pem));

/** `given`: opens the key that the operator gives; null: none is given. */
const openNoteKeys = perInstance(({ config }) => ({
  loaded: new Map<LogKeyPurpose, Promise<NoteSigner>>(),
  given: {
    log: createKmsNoteKey(config) ?? createGivenKey(config.ASSAY_LOG_KEY),
    promise: createGivenKey(config.ASSAY_PROMISE_KEY),
    witness: createGivenKey(config.ASSAY_COSIGN_KEY),
  } satisfies Record<LogKeyPurpose, OpenKey | null>,
}));

/** Loads a key, once. @throws Error when it cannot be read; a later call tries again */
export function loadNoteSigner(platform: Platform, purpose: LogKeyPurpose): Promise<NoteSigner> {
  const { loaded } = openNoteKeys(platform);
  const known = loaded.get(purpose);
  if (known) return known;
  const loading = loadKey(platform, purpose);
  loaded.set(purpose, loading);
  loading.catch(() => loaded.delete(purpose));
  return loading;
}

/** Lists the public keys of checkpoints, base64; none before the first tree head. */
export async function listLogKeys(platform: Platform): Promise<string[]> {
  const stored = await findKey(platform, 'log');
  return stored ? [stored.publicKey, ...stored.former] : [];
}

/** Judges by these keys, and once more what is broken by them when another one has begun to sign since. */
export async function judgeByLogKeys<T extends { broken: unknown }>(
  platform: Platform,
  judge: (logKeys: string[]) => Promise<T>,
): Promise<T> {
  const before = await listLogKeys(platform);
  const judged = await judge(before);
  const now = judged.broken === null ? before : await listLogKeys(platform);
  return now.join() === before.join() ? judged : judge(now);
}

/** Lists the keys that sign or have signed under a name, the current one first. */
export async function listVerifierKeys(
  platform: Platform,
  purpose: LogKeyPurpose,
  name: string,
): Promise<VerifierKey[]> {
  const { publicKey, former } = await ensureKey(platform, purpose);
  const keys = [publicKey, ...former.filter((other) => other !== publicKey)];
  return keys.map((text) => ({
    name,
    type: LOG_KEY,
    publicKey: Buffer.from(text, 'base64'),
  }));
}

function findKey({ models }: Platform, purpose: LogKeyPurpose): Promise<LogKeyDocument | null> {
  return models.logKeys.findOne({ _id: purpose }).lean<LogKeyDocument>();
}

/** The key that the operator gives, or a new one. */
async function makeKey(
  platform: Platform,
  purpose: LogKeyPurpose,
): Promise<Pick<LogKeyDocument, 'publicKey' | 'sealed'>> {
  const own = await openNoteKeys(platform).given[purpose]?.();
  if (own) return { publicKey: own.publicKey.toString('base64'), sealed: null };
  const pem = await generateNoteKey();
  const publicKey = openNoteKey(pem).publicKey.toString('base64');
  return { publicKey, sealed: platform.vault.encrypt(pem, toKeyAad(purpose)) };
}

/** Creates the record of a key, unless another instance has just done so. Both keys have one host. */
async function ensureKey(platform: Platform, purpose: LogKeyPurpose): Promise<LogKeyDocument> {
  const found = await findKey(platform, purpose);
  if (found) return found;
  const { models, clock, config, publicUrl } = platform;
  const host =
    purpose === 'log'
      ? (config.ASSAY_LOG_NAME ?? new URL(publicUrl).host)
      : (await ensureKey(platform, 'log')).host;
  const material = await makeKey(platform, purpose);
  try {
    await models.logKeys.create([{ _id: purpose, host, ...material, createdAt: clock.now() }]);
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
  return ensureKey(platform, purpose);
}

/** Opens the stored key, or the operator's; a stored key is encrypted again after the encryption key was changed. */
async function openKey(
  platform: Platform,
  purpose: LogKeyPurpose,
  stored: LogKeyDocument,
): Promise<NoteKey> {
  const own = openNoteKeys(platform).given[purpose];
  if (own) return own();
  if (stored.sealed === null)
    throw new Error(`the ${purpose} key was given by the configuration, which names none now`);
  const { models, secrets, vault } = platform;
  const pem = vault.decrypt(stored.sealed, toKeyAad(purpose));
  if (secrets.formerEncryption.length > 0)
    await models.logKeys.updateOne(
      { _id: purpose, sealed: stored.sealed },
      { $set: { sealed: vault.encrypt(pem, toKeyAad(purpose)) } },
    );
  return openNoteKey(pem);
}

/** Records that another key signs from now on; the former ones stay known, for what they have signed. */
async function replaceKey(
  platform: Platform,
  stored: LogKeyDocument,
  publicKey: string,
): Promise<void> {
  await platform.models.logKeys.updateOne(
    { _id: stored._id, publicKey: stored.publicKey },
    {
      $set: { publicKey, ...(openNoteKeys(platform).given[stored._id] && { sealed: null }) },
      $addToSet: { former: stored.publicKey },
    },
  );
}

async function loadKey(platform: Platform, purpose: LogKeyPurpose): Promise<NoteSigner> {
  const stored = await ensureKey(platform, purpose);
  const key = await openKey(platform, purpose, stored);
  const publicKey = key.publicKey.toString('base64');
  if (publicKey !== stored.publicKey) await replaceKey(platform, stored, publicKey);
  return { host: stored.host, ...key };
}

interface NoteKey {
  /** 32 bytes. */
  publicKey: Buffer;
  sign: SignNote;
}

/** Generates a private key in PEM (PKCS #8). */
function generateNoteKey(): Promise<string> {
  return new Promise((resolve, reject) => {
    generateKeyPair('ed25519', undefined, (error, _publicKey, privateKey) => {
      if (error) reject(error);
      else resolve(privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
    });
  });
}

/**
 * Signs on the event loop: 36 us, where the thread pool takes 90 of CPU.
 * @throws TypeError for a key that is not Ed25519
 */
function openNoteKey(pem: string): NoteKey {
  const privateKey = createPrivateKey(pem);
  if (privateKey.asymmetricKeyType !== 'ed25519') throw new TypeError('not an Ed25519 key');
  return {
    publicKey: toRawPublicKey(createPublicKey(privateKey)),
    sign: (text) => Promise.resolve(sign(null, text, privateKey)),
  };
}
