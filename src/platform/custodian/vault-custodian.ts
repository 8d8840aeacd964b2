// A custodian in HashiCorp Vault or OpenBao (secrets engine Transit): an epoch is a version of a key, destroyed by `trim`.
import { z } from 'zod';
import { extendAllowed } from '../../domain/outbound/ssrf.ts';
import { createSafeHttp } from '../outbound/safe-http.ts';
import { type Custodian, EPOCH_KEY_BYTES } from './custodian.ts';
import { readCustodianToken, type TokenSource } from './token.ts';

export interface VaultAccess {
  /** Base address. */
  url: string;
  /** A file is one that an agent of Vault keeps current. */
  token: TokenSource;
  mount: string;
  /** Name of the encryption key whose versions are the epochs. */
  key: string;
  /** Name of the Ed25519 key that signs statements. */
  signer: string;
}

/** Time limit of a call. */
const TIMEOUT_MS = 5000;
const ANSWER_BYTES = 256 * 1024;
const CIPHERTEXT = /^vault:v(\d{1,9}):[\w+/=]{1,512}$/;
const SIGNATURE = /^vault:v(\d{1,9}):([\w+/]{86}==)$/;

const dataKey = z.object({
  plaintext: z.base64(),
  ciphertext: z.string().regex(CIPHERTEXT),
});
const decrypted = z.object({ plaintext: z.base64() });
const trimmed = z.object({ min_available_version: z.number().int() });
const signed = z.object({ signature: z.string().regex(SIGNATURE) });
const signer = z.object({
  type: z.literal('ed25519'),
  latest_version: z.number().int(),
  keys: z.record(z.string(), z.object({ public_key: z.base64() })),
});

interface Call<T> {
  method: 'GET' | 'POST';
  path: string;
  body?: object;
  answer: z.ZodType<T> | null;
}

/** Statuses with which Vault refuses a ciphertext that it cannot open; others mean that it cannot tell now. */
const CANNOT_OPEN = 400;

class VaultError extends Error {
  readonly status: number;
  constructor(path: string, status: number) {
    super(`the vault answered ${path} with status ${status}`);
    this.status = status;
  }
}

export function createVaultCustodian(access: VaultAccess): Custodian {
  const { url, mount, key, signer: signerKey } = access;
  const base = `${url.replace(/\/$/, '')}/v1/${mount}`;
  const http = createSafeHttp({
    allow: extendAllowed([], url),
    timeoutMs: TIMEOUT_MS,
    maxBytes: ANSWER_BYTES,
  });

  /** @throws VaultError; Error for an answer that is not as documented */
  async function callVault<T>({ method, path, body, answer }: Call<T>): Promise<T> {
    const response = await http.fetch(`${base}/${path}`, {
      method,
      headers: {
        'x-vault-token': await readCustodianToken(access.token),
        'content-type': 'application/json',
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    if (!response.ok) throw new VaultError(path, response.status);
    if (answer === null) return undefined as T;
    const parsed = z.object({ data: answer }).safeParse(await response.json().catch(() => null));
    if (!parsed.success) throw new Error(`the vault answered ${path} as is not documented`);
    return parsed.data.data as T;
  }

  const post = <T>(path: string, body: object, answer: z.ZodType<T> | null): Promise<T> =>
    callVault({ method: 'POST', path, body, answer });

  return {
    id: `vault ${new URL(url).host}/${mount}/${key}`,
    signerName: `${new URL(url).host}/${mount}/${signerKey}`,

    /** A repeated call makes another version; the one before it opens nothing that is stored. */
    async makeEpoch() {
      await post(`keys/${key}/rotate`, {}, null);
      const made = await post(`datakey/plaintext/${key}`, { bits: EPOCH_KEY_BYTES * 8 }, dataKey);
      return { key: toEpochKey(made.plaintext), ticket: made.ciphertext };
    },

    async openEpoch(_epoch, ticket) {
      try {
        const { plaintext } = await post(`decrypt/${key}`, { ciphertext: ticket }, decrypted);
        return toEpochKey(plaintext);
      } catch (error) {
        if (error instanceof VaultError && error.status === CANNOT_OPEN) return null;
        throw error;
      }
    },

    async destroyBefore(_epoch, ticket) {
      const version = Number(CIPHERTEXT.exec(ticket)?.[1]);
      const bounds = { min_decryption_version: version, min_encryption_version: version };
      await post(`keys/${key}/config`, bounds, null);
      await post(`keys/${key}/trim`, { min_available_version: version }, null);
      const left = await callVault({ method: 'GET', path: `keys/${key}`, answer: trimmed });
      if (left.min_available_version < version)
        throw new Error('the vault still has versions of the key that it was asked to destroy');
    },

    async loadSigner() {
      const found = await callVault({ method: 'GET', path: `keys/${signerKey}`, answer: signer });
      const text = found.keys[String(found.latest_version)]?.public_key;
      if (text === undefined) throw new Error('the vault shows no public key for statements');
      return {
        publicKey: Buffer.from(text, 'base64'),
        async sign(bytes) {
          const input = Buffer.from(bytes).toString('base64');
          const body = { input, key_version: found.latest_version };
          const { signature } = await post(`sign/${signerKey}`, body, signed);
          return Buffer.from(SIGNATURE.exec(signature)?.[2] ?? '', 'base64');
        },
      };
    },
  };
}

function toEpochKey(text: string): Buffer {
  const key = Buffer.from(text, 'base64');
  if (key.length !== EPOCH_KEY_BYTES) throw new Error('the vault gave a key of another length');
  return key;
}
