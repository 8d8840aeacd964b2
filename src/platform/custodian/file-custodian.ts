// A custodian in a folder of this machine: a file for each epoch's key, and one for the key that signs statements.
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
} from 'node:crypto';
import { link, mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { toRawPublicKey } from '@assay/tlog';
import { type Custodian, EPOCH_KEY_BYTES } from './custodian.ts';

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
const EPOCH_FILE = /^epoch-(\d{1,9})\.key$/;
const SIGNER_FILE = 'statements.pem';

/** A custodian that knows which keys it has. */
export interface KeptEpochs extends Custodian {
  /** The oldest epoch of which there is a key; null: there is none. */
  findOldest(): Promise<number | null>;
}

export function createFileCustodian(folder: string): KeptEpochs {
  const toPath = (epoch: number): string => join(folder, `epoch-${epoch}.key`);

  /** Lists the epochs of which there are keys, with their files. */
  async function listKept(): Promise<{ epoch: number; path: string }[]> {
    const names = await readOrNull(readdir(folder));
    return (names ?? []).flatMap((name) => {
      const [, number] = EPOCH_FILE.exec(name) ?? [];
      return number === undefined ? [] : [{ epoch: Number(number), path: join(folder, name) }];
    });
  }

  async function readEpoch(epoch: number): Promise<Buffer | null> {
    const text = await readIfThere(toPath(epoch));
    if (text === null) return null;
    const key = Buffer.from(text.trim(), 'base64url');
    if (key.length !== EPOCH_KEY_BYTES) throw new Error(`${toPath(epoch)} holds no epoch key`);
    return key;
  }

  return {
    id: 'file',
    signerName: null,

    async makeEpoch(epoch) {
      const fresh = randomBytes(EPOCH_KEY_BYTES).toString('base64url');
      await createFile(folder, `epoch-${epoch}.key`, `${fresh}\n`);
      const key = await readEpoch(epoch);
      if (!key) throw new Error(`the key of epoch ${epoch} was destroyed while it was made`);
      return { key, ticket: '' };
    },

    openEpoch: (epoch) => readEpoch(epoch),

    async destroyBefore(epoch) {
      for (const kept of await listKept()) if (kept.epoch < epoch) await shredFile(kept.path);
      await syncFolder(folder);
    },

    async findOldest() {
      const epochs = (await listKept()).map(({ epoch }) => epoch);
      return epochs.length === 0 ? null : Math.min(...epochs);
    },

    async loadSigner() {
      const { privateKey } = generateKeyPairSync('ed25519');
      const fresh = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
      const path = join(folder, SIGNER_FILE);
      const found = await readIfThere(path);
      if (found === null) await createFile(folder, SIGNER_FILE, fresh);
      const key = createPrivateKey(found ?? (await readFile(path, 'utf8')));
      if (key.asymmetricKeyType !== 'ed25519') throw new Error(`${path} holds no Ed25519 key`);
      return {
        publicKey: toRawPublicKey(createPublicKey(key)),
        sign: (text) => Promise.resolve(sign(null, text, key)),
      };
    },
  };
}

const readIfThere = (path: string): Promise<string | null> => readOrNull(readFile(path, 'utf8'));

/** Resolves with what was read; null: the file or folder is not there. */
async function readOrNull<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Writes a file whole and durably; one that is there stays as it is. */
async function createFile(folder: string, name: string, text: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER });
  const draft = join(folder, `.draft-${randomBytes(8).toString('hex')}`);
  const file = await open(draft, 'wx', PRIVATE_FILE);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    await link(draft, join(folder, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    // Removes a name only: the file itself is the same as the new one.
    await rm(draft, { force: true });
  }
  await syncFolder(folder);
}

/** Overwrites a file with zeros and removes it. A disk that moves blocks may keep the old ones. */
async function shredFile(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    const { size } = await file.stat();
    await file.write(Buffer.alloc(size), 0, size, 0);
    await file.sync();
  } finally {
    await file.close();
  }
  await rm(path);
}

/** Makes the entries of a folder durable. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
