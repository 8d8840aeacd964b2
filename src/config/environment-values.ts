// Schemas of the values of configuration variables: lists, pairs, keys, addresses.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { z } from 'zod';

export const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);
/** Trusted proxies, in the format of proxy-addr: a named range, an address or a subnet. */
export const proxies = list.refine(
  (items) =>
    items.every((item) => /^(loopback|linklocal|uniquelocal)$/.test(item) || isSubnet(item)),
  'must be addresses, subnets such as 10.0.0.0/8, or loopback, linklocal, uniquelocal',
);
export const positive = z.coerce.number().int().positive();
export const secret = z.string().min(32, 'must have at least 32 characters');
export const address = z.url({ protocol: /^https?$/ });
/** Address of a service that is called; parts that calls would drop are refused at start. */
export const serviceAddress = address.refine(
  (text) => !/[?#]|^\w+:\/\/[^/]*@/.test(text),
  'must have no credentials, query or fragment',
);
export const serviceOrigin = serviceAddress.refine(
  (text) => !URL.canParse(text) || new URL(text).pathname === '/',
  'must end with its host or port: no path',
);
export const mongodbUri = z
  .string()
  .regex(/^mongodb(\+srv)?:\/\//, 'must begin with mongodb:// or mongodb+srv://');
/** A PEM text; `\\n` stands for a line break, so that it fits into one line. */
export const pem = z.string().transform((text) => text.replaceAll('\\n', '\n'));
export const plan = z.enum(['sandbox', 'scale', 'governance', 'enterprise', 'custom']);

/** `name=value` pairs with known names, each once. */
const createPairList = (names: RegExp, namesText: string) =>
  list.transform((items, context): ReadonlyMap<string, string> => {
    const found = new Map(
      items.map((item) => [item.split('=', 1)[0] ?? '', item.slice(item.indexOf('=') + 1)]),
    );
    const isGood = items.every((item) => /=./.test(item)) && found.size === items.length;
    if (!isGood || ![...found.keys()].every((name) => names.test(name)))
      context.addIssue({ code: 'custom', message: `must be name=value pairs of ${namesText}` });
    return found;
  });
export const priceIds = createPairList(
  /^(scale|governance|enterprise)_(monthly|annual|overage)$/,
  'scale, governance or enterprise with _monthly, _annual or _overage',
);
export const amounts = createPairList(
  /^(scale|governance|enterprise)_(monthly|annual)$/,
  'scale, governance or enterprise with _monthly or _annual',
).refine(
  (given) => [...given.values()].every((value) => /^\d{1,9}(\.\d{1,2})?$/.test(value)),
  'must be amounts such as 49 or 49.90',
);

/** A secret that an external machine shares with this installation. */
interface SharedKey {
  key: Buffer;
}

const KEY_ITEM = /^([\w.-]{1,64}):([\w-]{43})$/;

/** `keyId:key`, each id once; a key is 32 bytes in base64url. */
export const sharedKeys = list.transform((items, context): ReadonlyMap<string, SharedKey> => {
  const found = new Map<string, SharedKey>();
  for (const item of items) {
    const [, keyId, text] = KEY_ITEM.exec(item) ?? [];
    if (keyId !== undefined && text !== undefined)
      found.set(keyId, { key: Buffer.from(text, 'base64url') });
  }
  if (found.size !== items.length)
    context.addIssue({
      code: 'custom',
      message: 'must be keyId:key pairs, each key 32 bytes in base64url, each id once',
    });
  return found;
});

export function isRsaKey(text: string): boolean {
  try {
    return createPrivateKey(text).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}

export function isEd25519Key(text: string): boolean {
  try {
    return createPrivateKey(text).asymmetricKeyType === 'ed25519';
  } catch {
    return false;
  }
}

export function isCertificate(text: string): boolean {
  try {
    return new X509Certificate(text).publicKey.asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}

function isSubnet(text: string): boolean {
  const [address = '', length, ...more] = text.split('/');
  const family = isIP(address);
  const longest = family === 4 ? 32 : 128;
  return (
    family !== 0 &&
    more.length === 0 &&
    (length === undefined || (/^\d+$/.test(length) && Number(length) <= longest))
  );
}

/** A subnet or address, or a host name or bracketed address with an optional port. */
export function isDestination(text: string): boolean {
  return (
    isSubnet(text) ||
    /^([a-z\d_.-]*[a-z_-][a-z\d_.-]*|\d+(\.\d+){3}(?=:)|\[[\da-f:]+\](?=:))(:\d{1,5})?$/i.test(text)
  );
}
