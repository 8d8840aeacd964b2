// Makes keys with certificates: self-signed ones, as identity providers and services have them, and short chains.
import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

export interface KeyPair {
  /** PEM. */
  key: string;
  /** PEM. */
  certificate: string;
}

const tlv = (tag: number, ...content: Buffer[]): Buffer => {
  const body = Buffer.concat(content);
  const length = body.length < 0x80 ? [body.length] : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
};
const sequence = (...content: Buffer[]): Buffer => tlv(0x30, ...content);
const SHA256_RSA = sequence(tlv(0x06, Buffer.from('2a864886f70d01010b', 'hex')), tlv(0x05));
const COMMON_NAME = tlv(0x06, Buffer.from('550403', 'hex'));
const nameOf = (text: string): Buffer =>
  sequence(tlv(0x31, sequence(COMMON_NAME, tlv(0x0c, Buffer.from(text)))));
const time = (date: string): Buffer => tlv(0x18, Buffer.from(`${date.replace(/-/g, '')}000000Z`));
const pem = (label: string, der: Buffer): string =>
  `-----BEGIN ${label}-----\n${der.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END ${label}-----\n`;

const SHA256_ECDSA = sequence(tlv(0x06, Buffer.from('2a8648ce3d040302', 'hex')));

interface Certified {
  name: string;
  key: KeyObject;
  issuer: string;
  issuerKey: KeyObject;
  until: string;
}

/** Creates a certificate in PEM. */
function certificateOf({ name, key, issuer, issuerKey, until }: Certified): string {
  const algorithm = issuerKey.asymmetricKeyType === 'rsa' ? SHA256_RSA : SHA256_ECDSA;
  const spki = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const serial = tlv(0x02, Buffer.from([1]));
  const validity = sequence(time('2020-01-01'), time(until));
  const content = sequence(serial, algorithm, nameOf(issuer), validity, nameOf(name), spki);
  const signature = tlv(0x03, Buffer.from([0]), sign('sha256', content, issuerKey));
  return pem('CERTIFICATE', sequence(content, algorithm, signature));
}

const pemOf = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();

/** RSA; `until` is the last day of the certificate. */
export function selfSigned(name: string, until = '2099-12-31'): KeyPair {
  const { privateKey: key } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const certificate = certificateOf({ name, key, issuer: name, issuerKey: key, until });
  return { key: pemOf(key), certificate };
}

/** The certificates of one key, the last days of which are `ends`: as it is renewed. */
export function renewed(name: string, ...ends: string[]): string[] {
  const { privateKey: key } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return ends.map((until) => certificateOf({ name, key, issuer: name, issuerKey: key, until }));
}

/** A key on P-256 and its certificate, followed by that of the authority which signed it. */
export function certifiedKey(name: string, until = '2099-12-31'): KeyPair {
  const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { privateKey: issuerKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuer = `${name} authority`;
  const own = certificateOf({ name, key, issuer, issuerKey, until });
  const above = certificateOf({ name: issuer, key: issuerKey, issuer, issuerKey, until });
  return { key: pemOf(key), certificate: own + above };
}
