// A machine that shares a key with the installation and signs its messages.
import { createHmac, randomBytes } from 'node:crypto';
import { canonicalize, type JsonObject } from '@assay/json';

export interface Machine {
  keyId: string;
  key: Buffer;
  /** Key as configured. */
  setting: string;
}

export function createMachine(keyId: string): Machine {
  const key = randomBytes(32);
  return { keyId, key, setting: `${keyId}:${key.toString('base64url')}` };
}

export interface Signed {
  payload: JsonObject;
  signature: string;
  keyId: string;
}

export function signMessage({ keyId, key }: Machine, payload: JsonObject): Signed {
  const signature = createHmac('sha256', key).update(canonicalize(payload)).digest('hex');
  return { payload, signature, keyId };
}
