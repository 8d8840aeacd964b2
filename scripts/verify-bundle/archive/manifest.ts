// The signed manifest of an audit bundle, and the keys beside it.
import { createHash, createPublicKey, verify, type JsonWebKey } from 'node:crypto';
import { canonical, isHex64, isMembers, parse, Unreadable, type Value } from '../text.ts';

/** What the signer says of the bundle. */
export interface Manifest {
  kid: string;
  organizationId: string;
  firstSequence: number;
  lastSequence: number;
  lastChainHash: string;
  entries: number;
}

const TYPE = 'assay-audit-bundle+jws';
const COMPACT = /^([\w-]+)\.([\w-]+)\.([\w-]+)\s*$/;

/**
 * The manifest, if one of the keys signed it. A key is named by the SHA-256 of its SPKI, which is computed, not believed.
 * @throws Unreadable for another form; `null`: the signature does not hold
 */
export function readManifest(jws: string, keySet: string): Manifest | null {
  const [, first = '', second = '', third = ''] = COMPACT.exec(jws) ?? [];
  const header = membersOf(first);
  const claims = membersOf(second);
  if (header.alg !== 'ES256' || header.typ !== TYPE || header.crit !== undefined)
    throw new Unreadable('manifest.jws: another kind of signature');
  if (claims.format !== 'assay-audit-bundle' || claims.version !== 1)
    throw new Unreadable('manifest.jws: another kind of manifest');
  const key = keysOf(keySet).find((candidate) => kidOf(candidate) === header.kid);
  if (!key) throw new Unreadable('keys.json: without the key that signed the manifest');
  const options = {
    key: createPublicKey({ key, format: 'jwk' }),
    dsaEncoding: 'ieee-p1363',
  } as const;
  const holds = verify(
    'sha256',
    Buffer.from(`${first}.${second}`),
    options,
    Buffer.from(third, 'base64url'),
  );
  return holds ? manifestOf(String(header.kid), claims) : null;
}

/** hex: SHA-256 of the key's SPKI. */
function kidOf(key: JsonWebKey): string {
  const spki = createPublicKey({ key, format: 'jwk' }).export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(spki).digest('hex');
}

/** @throws Unreadable */
function keysOf(keySet: string): JsonWebKey[] {
  const set = parse(keySet);
  const keys = isMembers(set) && Array.isArray(set.keys) ? set.keys : [];
  return keys.flatMap((key) =>
    isMembers(key) && key.kty === 'EC' && key.crv === 'P-256' ? [key as JsonWebKey] : [],
  );
}

/** @throws Unreadable */
function membersOf(part: string): { [member: string]: Value } {
  const text = Buffer.from(part, 'base64url').toString('utf8');
  const value = parse(text);
  if (!isMembers(value) || canonical(value) !== text)
    throw new Unreadable('manifest.jws: not canonical');
  return value;
}

/** @throws Unreadable */
function manifestOf(kid: string, claims: { [member: string]: Value }): Manifest {
  const { organizationId, firstSequence, lastSequence, lastChainHash, entries } = claims;
  const isWhole =
    typeof organizationId === 'string' &&
    [firstSequence, lastSequence, entries].every(Number.isSafeInteger) &&
    isHex64(lastChainHash);
  if (!isWhole) throw new Unreadable('manifest.jws: a member is missing or malformed');
  return { kid, ...claims } as unknown as Manifest;
}
