// A key management service as AWS KMS speaks (JSON 1.1 over HTTP), with keys of its own; a test may make it fail.
import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface KeyManagement {
  url: string;
  /** Names of the operations that were asked for. */
  asked: string[];
  keys: Map<string, KeyObject>;
  /** Answers every request with this status instead. */
  failing: { status: number | null };
  close(): Promise<void>;
}

interface Request {
  KeyId: string;
  KeySpec?: string;
  KeyUsage?: string;
  Message?: string;
  MessageType?: string;
  SigningAlgorithm?: string;
}

async function readBody(request: IncomingMessage): Promise<Request> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return JSON.parse(Buffer.concat(parts).toString()) as Request;
}

export async function startKeyManagement(): Promise<KeyManagement> {
  const keys = new Map<string, KeyObject>();
  const asked: string[] = [];
  const failing: KeyManagement['failing'] = { status: null };
  const getKey = (id: string): KeyObject => {
    const key = keys.get(id);
    if (!key) throw new Error(`no key ${id}`);
    return key;
  };

  const specs: Record<string, () => KeyObject> = {
    ECC_NIST_P256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
    ECC_NIST_EDWARDS25519: () => generateKeyPairSync('ed25519').privateKey,
  };

  const operations: Record<string, (request: Request) => object> = {
    CreateKey({ KeySpec = '', KeyUsage }) {
      const generate = specs[KeySpec];
      if (!generate || KeyUsage !== 'SIGN_VERIFY') throw new Error('unexpected');
      const Arn = `arn:aws:kms:eu-test-1:111122223333:key/${keys.size + 1}`;
      keys.set(Arn, generate());
      return { KeyMetadata: { Arn, KeyId: Arn.split('/')[1] } };
    },
    GetPublicKey({ KeyId }) {
      const spki = createPublicKey(getKey(KeyId)).export({ type: 'spki', format: 'der' });
      return { KeyId, PublicKey: spki.toString('base64') };
    },
    Sign({ KeyId, Message = '', MessageType, SigningAlgorithm }) {
      const key = getKey(KeyId);
      const isEd25519 = key.asymmetricKeyType === 'ed25519';
      const expected = isEd25519 ? 'ED25519_SHA_512' : 'ECDSA_SHA_256';
      if (SigningAlgorithm !== expected || MessageType !== 'RAW') throw new Error('unexpected');
      const signed = sign(isEd25519 ? null : 'sha256', Buffer.from(Message, 'base64'), key);
      return { KeyId, Signature: signed.toString('base64'), SigningAlgorithm };
    },
  };

  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const name = String(request.headers['x-amz-target']).replace('TrentService.', '');
      asked.push(name);
      response.setHeader('content-type', 'application/x-amz-json-1.1');
      response.statusCode = failing.status ?? 200;
      const error = { __type: 'AccessDeniedException', message: 'a secret of the service' };
      const answer = failing.status === null ? operations[name]?.(body) : error;
      response.end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    keys,
    failing,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
