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

  const operations: Record<string, (request: Request) => object> = {
    CreateKey({ KeySpec, KeyUsage }) {
      if (KeySpec !== 'ECC_NIST_P256' || KeyUsage !== 'SIGN_VERIFY') throw new Error('unexpected');
      const Arn = `arn:aws:kms:eu-test-1:111122223333:key/${keys.size + 1}`;
      keys.set(Arn, generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
      return { KeyMetadata: { Arn, KeyId: Arn.split('/')[1] } };
    },
    GetPublicKey({ KeyId }) {
      const spki = createPublicKey(getKey(KeyId)).export({ type: 'spki', format: 'der' });
      return { KeyId, PublicKey: spki.toString('base64') };
    },
    Sign({ KeyId, Message = '', SigningAlgorithm }) {
      if (SigningAlgorithm !== 'ECDSA_SHA_256') throw new Error('unexpected');
      const der = sign('sha256', Buffer.from(Message, 'base64'), getKey(KeyId));
      return { KeyId, Signature: der.toString('base64'), SigningAlgorithm };
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
