// Time stamps (RFC 3161) of checkpoints: signature, certificate, chain to a given root and imprint; no server code.
import { createHash, X509Certificate } from 'node:crypto';
import * as asn1 from 'asn1js';
import * as pki from 'pkijs';
import { Unreadable } from '../text.ts';

export interface Stamp {
  /** SHA-256 of the stamped text in hex. */
  imprint: string;
  issuer: string;
  at: Date;
}

const SHA_256 = '2.16.840.1.101.3.4.2.1';
const STAMP_TYPE = '1.2.840.113549.1.9.16.1.4';
const EXTENDED_KEY_USAGE = '2.5.29.37';
const TIME_STAMPING = '1.3.6.1.5.5.7.3.8';
const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
const MOST = 256 * 1024;

/** Reads root certificates in PEM. @throws Unreadable */
export function readRoots(text: string): pki.Certificate[] {
  const found = text.match(PEM) ?? [];
  if (found.length === 0) throw new Unreadable('no certificate in PEM');
  return found.map((one) => pki.Certificate.fromBER(new X509Certificate(one).raw));
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
 * Reads a time stamp of one of the texts, and verifies it.
 * @throws Unreadable when it is malformed, not signed below a root, or of none of the texts
 */
export async function readStamp(
  bytes: Uint8Array,
  { roots, texts }: { roots: readonly pki.Certificate[]; texts: readonly string[] },
): Promise<Stamp> {
  if (bytes.length > MOST) throw new Unreadable('the time stamp is too large');
  try {
    const signed = new pki.SignedData({ schema: readContent(bytes).content });
    return await verifyStamp(signed, roots, texts);
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new Unreadable(`the time stamp cannot be verified: ${why}`);
  }
}

async function verifyStamp(
  signed: pki.SignedData,
  roots: readonly pki.Certificate[],
  texts: readonly string[],
): Promise<Stamp> {
  const { eContentType, eContent } = signed.encapContentInfo;
  if (eContentType !== STAMP_TYPE || !eContent || signed.signerInfos.length !== 1)
    throw new Unreadable('not a time stamp of RFC 3161');
  const info = pki.TSTInfo.fromBER(eContent.getValue());
  const { hashAlgorithm, hashedMessage } = info.messageImprint;
  const imprint = Buffer.from(hashedMessage.valueBlock.valueHexView).toString('hex');
  const text = texts.find((one) => createHash('sha256').update(one).digest('hex') === imprint);
  if (text === undefined || hashAlgorithm.algorithmId !== SHA_256)
    throw new Unreadable('the time stamp is of none of the checkpoints given');
  const { signatureVerified, signerCertificate } = await signed.verify({
    signer: 0,
    data: Uint8Array.from(Buffer.from(text)).buffer,
    checkChain: true,
    trustedCerts: [...roots],
    extendedMode: true,
  });
  if (!signatureVerified || !signerCertificate)
    throw new Unreadable('the signature of the time stamp does not verify');
  if (!mayStamp(signerCertificate))
    throw new Unreadable('the certificate of the time stamp is not one for time stamps alone');
  const certificate = new X509Certificate(Buffer.from(signerCertificate.toSchema().toBER()));
  return { imprint, issuer: certificate.subject.split('\n').join(', '), at: info.genTime };
}

function mayStamp({ extensions = [] }: pki.Certificate): boolean {
  const usage = extensions.find(({ extnID }) => extnID === EXTENDED_KEY_USAGE);
  const purposes =
    usage?.parsedValue instanceof pki.ExtKeyUsage ? usage.parsedValue.keyPurposes : [];
  return usage?.critical === true && purposes.join() === TIME_STAMPING;
}
