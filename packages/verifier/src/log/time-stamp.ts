// Time stamps (RFC 3161) of checkpoints: signature, certificate, chain to a given root and imprint; no server code.
import * as asn1 from 'asn1js';
import * as pki from 'pkijs';
import { hashBytes } from '../system/primitives.ts';
import { Unreadable } from '../text.ts';
import { findPathFault } from './certificate-path.ts';
import {
  findAlgorithmFault,
  findFault,
  findSignerFault,
  isNamed,
  isOversized,
} from './certificate-rules.ts';
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
const CONTENT_TYPE = '1.2.840.113549.1.9.3';
const PEM = /-----BEGIN CERTIFICATE-----([^-]+)-----END CERTIFICATE-----/g;
/** Bounds of a time stamp in bytes, of the certificates in it and of its signed attributes; of root certificates. */
const MOST = { bytes: 64 * 1024, certificates: 10, attributes: 64, roots: 1000 };
const SHOWN = 16;

/** Reads root certificates in PEM. @throws Unreadable */
export function readRoots(text: string): pki.Certificate[] {
  const found = [...text.matchAll(PEM)];
  if (found.length === 0) throw new Unreadable('no certificate in PEM');
  if (found.length > MOST.roots)
    throw new Unreadable(`more than ${MOST.roots} certificates in PEM`);
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
  if (bytes.length > MOST.bytes) throw new Unreadable('the time stamp is too large');
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
  const [signer, ...others] = signed.signerInfos;
  if (eContentType !== STAMP_TYPE || !eContent || !signer || others.length > 0)
    throw new Unreadable('not a time stamp of RFC 3161');
  const given = readCertificates(signed, signer);
  const info = pki.TSTInfo.fromBER(eContent.getValue());
  const { text, imprint } = findText(info, trust);
  const certificate = await verifySignature(signed, text);
  const issuer = describeName(certificate.subject);
  const why =
    findFault(certificate, info.genTime) ??
    findSignerFault(certificate) ??
    ((await isNamed(signer, certificate)) ? null : 'is not the one that the time stamp names');
  if (why !== null) throw new Unreadable(`the certificate ${issuer} ${why}`);
  const where = { given, roots: trust.roots, at: info.genTime };
  const lost = await findPathFault(certificate, where);
  if (lost !== null)
    throw new Unreadable(
      `the certificate ${issuer}, issued by ${describeName(certificate.issuer)}, ${lost}`,
    );
  return { text, imprint, issuer, at: info.genTime };
}

/** Reads the certificates, each once. @throws Unreadable when there are too many, or more of anything than a time stamp has */
function readCertificates(signed: pki.SignedData, signer: pki.SignerInfo): pki.Certificate[] {
  const { signedAttrs, digestAlgorithm, signatureAlgorithm } = signer;
  const attributes = signedAttrs?.attributes ?? [];
  const all = signed.certificates ?? [];
  const given = all.filter((one) => one instanceof pki.Certificate);
  if (
    all.length > MOST.certificates ||
    attributes.length > MOST.attributes ||
    given.some(isOversized)
  )
    throw new Unreadable('the time stamp has too many certificates or attributes');
  const type = attributes.filter((attribute) => attribute.type === CONTENT_TYPE);
  if (type.length !== 1 || type[0]?.values[0]?.getValue?.() !== STAMP_TYPE)
    throw new Unreadable('what is signed is no time stamp');
  const weakness = findAlgorithmFault(signatureAlgorithm, digestAlgorithm);
  if (weakness !== null) throw new Unreadable(`the time stamp ${weakness}`);
  return given;
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

/** Returns the certificate of the signer, whatever it is. @throws Unreadable */
async function verifySignature(signed: pki.SignedData, text: string): Promise<pki.Certificate> {
  const { signatureVerified, signerCertificate } = await signed.verify({
    signer: 0,
    data: Uint8Array.from(Buffer.from(text)).buffer,
    extendedMode: true,
  });
  if (signatureVerified && signerCertificate) return signerCertificate;
  throw new Unreadable('the signature of the time stamp does not verify');
}
