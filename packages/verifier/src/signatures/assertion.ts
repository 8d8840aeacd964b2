// Checks that a passkey has signed a statement, with its person verified (WebAuthn, formats.md).
import { hashBytes, isKeySignature } from '../system/primitives.ts';
import { isMembers, toCanonicalJson, toMembers, type Members, type Value } from '../text.ts';

/** What an entry holds of a signature. */
export interface Signed {
  statement: Members;
  assertion: Members;
  /** The credential: `id`, and `publicKey`. */
  credential: Members;
}

const FLAGS_AT = 32;
const DATA_MIN = 37;
/** User present, and user verified. */
const [UP, UV] = [1, 4];

/** Why the signature does not hold; null: it holds. */
export function findSignatureFault({ statement, assertion, credential }: Signed): string | null {
  const { publicKey = null } = credential;
  if (!isMembers(publicKey)) return 'its credential has no key';
  const [id, clientDataJSON, authenticatorData, signature] = [
    'credentialId',
    'clientDataJSON',
    'authenticatorData',
    'signature',
  ].map((name) => readBytes(assertion[name])) as [Buffer, Buffer, Buffer, Buffer];
  if (hashBytes(id).toString('hex') !== credential['id'])
    return 'its signature is by another credential';
  const fault =
    findClientFault(clientDataJSON, statement, publicKey) ??
    findAuthenticatorFault(authenticatorData, publicKey);
  if (fault !== null) return fault;
  const signed = Buffer.concat([authenticatorData, hashBytes(clientDataJSON)]);
  const key = { spki: readBytes(publicKey['spki']), alg: Number(publicKey['alg']) };
  return isKeySignature(signed, signature, key) ? null : 'its signature is not by its key';
}

function findClientFault(bytes: Buffer, statement: Members, { rpId }: Members): string | null {
  const { type, challenge, origin, crossOrigin = false } = readClientData(bytes);
  if (type !== 'webauthn.get') return 'its signature is of another kind';
  if (challenge !== hashBytes(toCanonicalJson(statement)).toString('base64url'))
    return 'its signature is of another statement';
  return isOriginOf(origin, rpId) && crossOrigin === false
    ? null
    : 'its signature was given at another origin';
}

function findAuthenticatorFault(data: Buffer, { rpId }: Members): string | null {
  if (data.length < DATA_MIN || !hashBytes(String(rpId)).equals(data.subarray(0, FLAGS_AT)))
    return 'its signature is for another domain';
  const flags = data[FLAGS_AT] ?? 0;
  return (flags & UP) === 0 || (flags & UV) === 0
    ? 'its signature was given without verifying the person'
    : null;
}

function readClientData(bytes: Buffer): Members {
  try {
    return toMembers(JSON.parse(bytes.toString('utf8')) as Value);
  } catch {
    return {};
  }
}

/** Whether the origin is at the domain, or at a name below it. */
function isOriginOf(origin: Value | undefined, rpId: Value | undefined): boolean {
  if (typeof origin !== 'string' || typeof rpId !== 'string' || rpId === '') return false;
  const [, scheme, host = ''] = /^(https?):\/\/([^/:]+)(?::\d{1,5})?$/.exec(origin) ?? [];
  if (scheme === 'http' && host !== 'localhost') return false;
  return scheme !== undefined && (host === rpId || host.endsWith(`.${rpId}`));
}

const readBytes = (value: Value | undefined): Buffer =>
  Buffer.from(typeof value === 'string' ? value : '', 'base64url');
