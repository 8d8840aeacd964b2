// Reads the public key of a person's passkey that a reader trusts.
import { isMembers, parse, Unreadable } from '../text.ts';

/** Returns the SPKI in base64url. @throws Unreadable */
export function readApproverKey(text: string): string {
  const spki = text.trimStart().startsWith('{') ? readJson(text) : readPem(text);
  if (spki === null)
    throw new Unreadable('an approver key must be a public key in PEM, or JSON with its spki');
  return spki;
}

function readJson(text: string): string | null {
  const value = parse(text);
  if (!isMembers(value)) return null;
  const { publicKey = value } = value;
  const { spki } = isMembers(publicKey) ? publicKey : {};
  return typeof spki === 'string' && spki !== '' ? spki : null;
}

function readPem(text: string): string | null {
  const [, body] =
    /^\s*-----BEGIN PUBLIC KEY-----([A-Za-z0-9+/=\s]+)-----END PUBLIC KEY-----\s*$/.exec(text) ??
    [];
  return body === undefined ? null : Buffer.from(body, 'base64').toString('base64url');
}
