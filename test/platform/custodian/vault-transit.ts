// A vault as HashiCorp documents the engine Transit, with keys of its own; a test may stop it or make it fail.
import {
  createCipheriv,
  createDecipheriv,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface VaultServer {
  url: string;
  token: string;
  /** Paths that were asked for, with their method. */
  asked: string[];
  /** Answers every request with this status instead. */
  failing: { status: number | null };
  close(): Promise<void>;
}

type Body = Record<string, unknown>;
type Answer = { status: number; data?: object };

const MOUNT = '/v1/transit/';

async function readBody(request: IncomingMessage): Promise<Body> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const text = Buffer.concat(parts).toString();
  return text === '' ? {} : (JSON.parse(text) as Body);
}

/** Versions of a key of type aes256-gcm96. */
class EncryptionKey {
  versions = new Map([[1, randomBytes(32)]]);
  bounds = { min_decryption_version: 1, min_encryption_version: 0, min_available_version: 0 };

  get latest(): number {
    return Math.max(...this.versions.keys());
  }

  encrypt(text: Buffer): string {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.versions.get(this.latest)!, nonce);
    const body = Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
    return `vault:v${this.latest}:${body.toString('base64')}`;
  }

  /** Null: the version is trimmed or disallowed. */
  decrypt(ciphertext: string): Buffer | null {
    const [, version = '', text = ''] = /^vault:v(\d+):(.+)$/.exec(ciphertext) ?? [];
    const key = this.versions.get(Number(version));
    if (!key || Number(version) < this.bounds.min_decryption_version) return null;
    const bytes = Buffer.from(text, 'base64');
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
    decipher.setAuthTag(bytes.subarray(-16));
    return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]);
  }

  trim(version: number): Answer {
    const { min_decryption_version: decryption, min_encryption_version: encryption } = this.bounds;
    if (encryption === 0 || version > Math.min(decryption, encryption)) return { status: 400 };
    if (version < this.bounds.min_available_version) return { status: 400 };
    this.bounds.min_available_version = version;
    for (const old of this.versions.keys()) if (old < version) this.versions.delete(old);
    return { status: 200, data: this.bounds };
  }
}

function createTransit() {
  const epochs = new EncryptionKey();
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const statements: { privateKey: KeyObject; raw: string } = {
    privateKey,
    raw: publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('base64'),
  };
  const operations: Record<string, (body: Body) => Answer> = {
    'POST keys/assay-epochs/rotate'() {
      epochs.versions.set(epochs.latest + 1, randomBytes(32));
      return { status: 200, data: { latest_version: epochs.latest } };
    },
    'POST datakey/plaintext/assay-epochs'({ bits }) {
      const key = randomBytes(Number(bits) / 8);
      const ciphertext = epochs.encrypt(key);
      return { status: 200, data: { plaintext: key.toString('base64'), ciphertext } };
    },
    'POST decrypt/assay-epochs'({ ciphertext }) {
      const text = epochs.decrypt(String(ciphertext));
      return text ? { status: 200, data: { plaintext: text.toString('base64') } } : { status: 400 };
    },
    'POST keys/assay-epochs/config'(body) {
      Object.assign(epochs.bounds, body);
      return { status: 200, data: epochs.bounds };
    },
    'POST keys/assay-epochs/trim': (body) => epochs.trim(Number(body['min_available_version'])),
    'GET keys/assay-epochs': () => ({ status: 200, data: epochs.bounds }),
    'GET keys/assay-statements': () => ({
      status: 200,
      data: { type: 'ed25519', latest_version: 1, keys: { 1: { public_key: statements.raw } } },
    }),
    'POST sign/assay-statements'({ input }) {
      const bytes = Buffer.from(String(input), 'base64');
      const signature = sign(null, bytes, statements.privateKey).toString('base64');
      return { status: 200, data: { signature: `vault:v1:${signature}` } };
    },
  };
  return operations;
}

export async function startVault(): Promise<VaultServer> {
  const operations = createTransit();
  const token = randomBytes(16).toString('hex');
  const asked: string[] = [];
  const failing: VaultServer['failing'] = { status: null };

  function findAnswer(name: string, given: unknown, body: Body): Answer {
    asked.push(name);
    if (failing.status !== null) return { status: failing.status };
    if (given !== token) return { status: 403 };
    return operations[name]?.(body) ?? { status: 404 };
  }

  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const name = `${request.method} ${String(request.url).replace(MOUNT, '')}`;
      const { status, data } = findAnswer(name, request.headers['x-vault-token'], body);
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify(status === 200 ? { data } : { errors: ['a secret of the vault'] }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    asked,
    failing,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
