// Makes keys with certificates: self-signed ones, as identity providers and services have them, and short chains.
import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

export interface KeyPair {
  /** PEM. */
  key: string;
  /** PEM. */
  certificate: string;
}

const encodeTlv = (tag: number, ...content: Buffer[]): Buffer => {
  const body = Buffer.concat(content);
  const length = body.length < 0x80 ? [body.length] : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
};
const encodeSequence = (...content: Buffer[]): Buffer => encodeTlv(0x30, ...content);
const SHA256_RSA = encodeSequence(
  encodeTlv(0x06, Buffer.from('2a864886f70d01010b', 'hex')),
  encodeTlv(0x05),
);
const COMMON_NAME = encodeTlv(0x06, Buffer.from('550403', 'hex'));
const encodeName = (text: string): Buffer =>
  encodeSequence(encodeTlv(0x31, encodeSequence(COMMON_NAME, encodeTlv(0x0c, Buffer.from(text)))));
const encodeTime = (date: string): Buffer =>
  encodeTlv(0x18, Buffer.from(`${date.replace(/-/g, '')}000000Z`));
const toPem = (label: string, der: Buffer): string =>
  `-----BEGIN ${label}-----\n${der.toString('base64').replace(/.{64}(?=.)/g, '$&\n')}\n-----END ${label}-----\n`;

const SHA256_ECDSA = encodeSequence(encodeTlv(0x06, Buffer.from('2a8648ce3d040302', 'hex')));

interface Certified {
  name: string;
  key: KeyObject;
  issuer: string;
  issuerKey: KeyObject;
  until: string;
}

/** Creates a certificate in PEM. */
function createCertificate({ name, key, issuer, issuerKey, until }: Certified): string {
  const algorithm = issuerKey.asymmetricKeyType === 'rsa' ? SHA256_RSA : SHA256_ECDSA;
  const spki = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const serial = encodeTlv(0x02, Buffer.from([1]));
  const validity = encodeSequence(encodeTime('2020-01-01'), encodeTime(until));
  const content = encodeSequence(
    serial,
    algorithm,
    encodeName(issuer),
    validity,
    encodeName(name),
    spki,
  );
  const signature = encodeTlv(0x03, Buffer.from([0]), sign('sha256', content, issuerKey));
  return toPem('CERTIFICATE', encodeSequence(content, algorithm, signature));
}

const exportPem = (key: KeyObject): string =>
  key.export({ type: 'pkcs8', format: 'pem' }).toString();

/** RSA; `until` is the last day of the certificate. */
export function createSelfSigned(name: string, until = '2099-12-31'): KeyPair {
  const { privateKey: key } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const certificate = createCertificate({ name, key, issuer: name, issuerKey: key, until });
  return { key: exportPem(key), certificate };
}

/** The certificates of one key, the last days of which are `ends`: as it is renewed. */
export function issueCertificates(name: string, ...ends: string[]): string[] {
  const { privateKey: key } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return ends.map((until) => createCertificate({ name, key, issuer: name, issuerKey: key, until }));
}

/** A key on P-256 and its certificate, followed by that of the authority which signed it. */
export function createCertifiedKey(name: string, until = '2099-12-31'): KeyPair {
  const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { privateKey: issuerKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuer = `${name} authority`;
  const own = createCertificate({ name, key, issuer, issuerKey, until });
  const above = createCertificate({ name: issuer, key: issuerKey, issuer, issuerKey, until });
  return { key: exportPem(key), certificate: own + above };
}
