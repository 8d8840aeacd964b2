// Time stamps (RFC 3161) of checkpoints: signature, certificate, chain to a given root and imprint; no server code.
import * as asn1 from 'asn1js';
import * as pki from 'pkijs';
import { hashBytes } from '../system/primitives.ts';
import { Unreadable } from '../text.ts';
import { describeName } from './distinguished-name.ts';

export interface Stamp {
  /** The text that was stamped. */
  text: string;
  /** SHA-256 of the stamped text in hex. */
  imprint: string;
  issuer: string;
  at: Date;
}

/** What a stamp is held against. */
export interface StampTrust {
  roots: readonly pki.Certificate[];
  /** Texts of the checkpoints that something rests on. */
  texts: readonly string[];
  /** Texts of other checkpoints, which an error can name. */
  others?: readonly string[];
}

const SHA_256 = '2.16.840.1.101.3.4.2.1';
const STAMP_TYPE = '1.2.840.113549.1.9.16.1.4';
const EXTENDED_KEY_USAGE = '2.5.29.37';
const TIME_STAMPING = '1.3.6.1.5.5.7.3.8';
const PEM = /-----BEGIN CERTIFICATE-----([^-]+)-----END CERTIFICATE-----/g;
const MOST = 256 * 1024;
const SHOWN = 16;

/** Reads root certificates in PEM. @throws Unreadable */
export function readRoots(text: string): pki.Certificate[] {
  const found = [...text.matchAll(PEM)];
  if (found.length === 0) throw new Unreadable('no certificate in PEM');
  try {
    return found.map(([, base64 = '']) => pki.Certificate.fromBER(Buffer.from(base64, 'base64')));
  } catch {
    throw new Unreadable('a certificate in PEM cannot be read');
  }
}

/** Reads a token, or the answer of an authority with one. */
function readContent(bytes: Uint8Array): pki.ContentInfo {
  const { result } = asn1.fromBER(bytes);
  const [first, second] = result instanceof asn1.Sequence ? result.valueBlock.value : [];
  const isToken = first instanceof asn1.ObjectIdentifier;
  const schema = isToken ? result : second;
  if (!schema) throw new Unreadable('the time stamp holds no token');
  return new pki.ContentInfo({ schema });
}

/**
 * Reads a time stamp of one of the texts, and verifies it as of its own time.
 * @throws Unreadable when it is malformed, not signed below a root, or of none of the texts
 */
export async function readStamp(bytes: Uint8Array, trust: StampTrust): Promise<Stamp> {
  if (bytes.length > MOST) throw new Unreadable('the time stamp is too large');
  if (!('subtle' in globalThis.crypto))
    throw new Unreadable(
      'over plain http no time stamp can be verified: save the page, or use https',
    );
  try {
    const signed = new pki.SignedData({ schema: readContent(bytes).content });
    return await verifyStamp(signed, trust);
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new Unreadable(`the time stamp cannot be verified: ${why}`);
  }
}

async function verifyStamp(signed: pki.SignedData, trust: StampTrust): Promise<Stamp> {
  const { eContentType, eContent } = signed.encapContentInfo;
  if (eContentType !== STAMP_TYPE || !eContent || signed.signerInfos.length !== 1)
    throw new Unreadable('not a time stamp of RFC 3161');
  const info = pki.TSTInfo.fromBER(eContent.getValue());
  const { text, imprint } = findText(info, trust);
  const signer = await verifySignature(signed, text, trust.roots);
  if (!mayStamp(signer))
    throw new Unreadable('the certificate of the time stamp is not one for time stamps alone');
  return { text, imprint, issuer: describeName(signer.subject), at: info.genTime };
}

/** Finds the text that the stamp is of. @throws Unreadable */
function findText(
  { messageImprint: { hashAlgorithm, hashedMessage } }: pki.TSTInfo,
  { texts, others = [] }: StampTrust,
): Pick<Stamp, 'text' | 'imprint'> {
  if (hashAlgorithm.algorithmId !== SHA_256)
    throw new Unreadable('the imprint of the time stamp is not a SHA-256');
  const imprint = Buffer.from(hashedMessage.valueBlock.valueHexView).toString('hex');
  const isStamped = (one: string): boolean => hashBytes(one).toString('hex') === imprint;
  const text = texts.find(isStamped);
  if (text !== undefined) return { text, imprint };
  const other = others.find(isStamped);
  const [origin = '', size = ''] = other?.split('\n') ?? [];
  throw new Unreadable(
    other === undefined
      ? `the time stamp is of none of the checkpoints given: its imprint is ${imprint.slice(0, SHOWN)}…`
      : `the time stamp is of another checkpoint, that of ${origin} with ${size} entries, on which no proof rests`,
  );
}

/** Returns the certificate of the signer. @throws Unreadable */
async function verifySignature(
  signed: pki.SignedData,
  text: string,
  roots: readonly pki.Certificate[],
): Promise<pki.Certificate> {
  try {
    const { signatureVerified, signerCertificate } = await signed.verify({
      signer: 0,
      data: Uint8Array.from(Buffer.from(text)).buffer,
      checkChain: true,
      trustedCerts: [...roots],
      extendedMode: true,
    });
    if (signatureVerified && signerCertificate) return signerCertificate;
  } catch (error) {
    if (error instanceof pki.SignedDataVerifyError && error.signerCertificateVerified === false)
      throw new Unreadable(explainChain(error));
    throw error;
  }
  throw new Unreadable('the signature of the time stamp does not verify');
}

/** Says why a certificate is not accepted at the time of the stamp. */
function explainChain({
  signerCertificate,
  date,
  message,
}: Pick<pki.SignedDataVerifyError, 'signerCertificate' | 'date' | 'message'>): string {
  if (!signerCertificate) return message;
  const { subject, issuer, notBefore, notAfter } = signerCertificate;
  const name = describeName(subject);
  if (date < notBefore.value || date > notAfter.value)
    return `the certificate ${name} had not begun or had expired when it stamped at ${date.toISOString()}: it is valid from ${notBefore.value.toISOString()} to ${notAfter.value.toISOString()}`;
  return `the certificate ${name}, issued by ${describeName(issuer)}, leads to none of the root certificates given`;
}

function mayStamp({ extensions = [] }: pki.Certificate): boolean {
  const usage = extensions.find(({ extnID }) => extnID === EXTENDED_KEY_USAGE);
  const purposes =
    usage?.parsedValue instanceof pki.ExtKeyUsage ? usage.parsedValue.keyPurposes : [];
  return usage?.critical === true && purposes.join() === TIME_STAMPING;
}
