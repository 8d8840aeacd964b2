// A text that the organisation signed: a JWS in compact form (ES256), and the keys beside it.
import { computeKeyName, type EcKey, isEs256Signature } from '../system/primitives.ts';
import { toCanonicalJson, isMembers, parse, Unreadable, type Members } from '../text.ts';

export interface SignedText {
  /** The name of the key that signed. */
  kid: string;
  claims: Members;
  /** The canonical text of `claims`. */
  text: string;
}

/** Each is read to find the one that signed. */
const KEYS_MAX = 1000;
const COMPACT = /^([\w-]+)\.([\w-]+)\.([\w-]+)\s*$/;

/**
 * Reads a signed text; null when the signature does not hold. A key is named by the SHA-256 of its SPKI, which is computed, not believed.
 * @throws Unreadable for another form or another type
 */
export function readSignedText(
  jws: string,
  { file, type, keySet }: { file: string; type: string; keySet: string },
): SignedText | null {
  const [, first = '', second = '', third = ''] = COMPACT.exec(jws) ?? [];
  const { members: header } = readPart(first, file);
  const { members: claims, text } = readPart(second, file);
  if (header.alg !== 'ES256' || header.typ !== type || header.crit !== undefined)
    throw new Unreadable(`${file}: another kind of signature`);
  const key = readKeys(keySet).find((candidate) => computeKeyName(candidate) === header.kid);
  if (!key) throw new Unreadable(`keys.json: without the key that signed ${file}`);
  const holds = isEs256Signature(`${first}.${second}`, decodePart(third), key);
  return holds ? { kid: String(header.kid), claims, text } : null;
}

/** Decodes base64url; both alphabets are read by this name. */
const decodePart = (part: string): Buffer => Buffer.from(part, 'base64');

/** @throws Unreadable */
function readKeys(keySet: string): EcKey[] {
  const set = parse(keySet);
  const keys = isMembers(set) && Array.isArray(set.keys) ? set.keys : [];
  if (keys.length > KEYS_MAX) throw new Unreadable(`keys.json: more than ${KEYS_MAX} keys`);
  return keys.flatMap((key) =>
    isMembers(key) && key.kty === 'EC' && key.crv === 'P-256' ? [key as EcKey] : [],
  );
}

/** @throws Unreadable */
function readPart(part: string, file: string): { members: Members; text: string } {
  const text = decodePart(part).toString('utf8');
  const members = parse(text);
  if (!isMembers(members) || toCanonicalJson(members) !== text)
    throw new Unreadable(`${file}: not canonical`);
  return { members, text };
}
