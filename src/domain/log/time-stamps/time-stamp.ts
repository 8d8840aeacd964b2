// Time stamps of RFC 3161: requests to an authority, and what its answer must be before it is kept.
import { hash, X509Certificate } from 'node:crypto';
import { fromBER, Integer, Null, OctetString, Sequence } from 'asn1js';
import {
  AlgorithmIdentifier,
  Certificate,
  ContentInfo,
  MessageImprint,
  SignedData,
  type SignerInfo,
  TimeStampReq,
  TimeStampResp,
  TSTInfo,
} from 'pkijs';
import { describeSubject, findPathFault, type ParsedCertificate } from './certificate-path.ts';
import {
  findCertificateFault,
  findSignerFault,
  isOversized,
  isStrong,
} from './certificate-rules.ts';
import { hasCertificateName } from './signing-certificate.ts';

const SHA_256 = '2.16.840.1.101.3.4.2.1';
const CONTENT_TYPE = '1.2.840.113549.1.9.3';
const TST_INFO = '1.2.840.113549.1.9.16.1.4';
const GRANTED = 0;
const GRANTED_WITH_MODIFICATIONS = 1;

/** Bytes of an answer, and certificates in it: more are not looked at. */
export const ANSWER_MAX_BYTES = 64 * 1024;
const CERTIFICATES_MAX = 10;
const ATTRIBUTES_MAX = 64;
/** How far the clock of an authority may be from ours. */
const CLOCK_TOLERANCE_MS = 10 * 60_000;

/** An answer that is no time stamp of what was asked. The message says why. */
export class TimeStampRefused extends Error {}

export interface TimeStampQuestion {
  /** The text that is stamped. */
  text: string;
  nonce: bigint;
}

/** The roots and the time against which an answer is verified. */
export interface TimeStampTrust {
  /** The certificates of the authorities in DER; null: any is believed. */
  roots: readonly Uint8Array[] | null;
  now: Date;
}

export interface TimeStamp {
  /** The TimeStampToken in DER. */
  token: Buffer;
  /** The subject of the certificate that signed it. */
  issuer: string;
  issuedAt: Date;
  /** Hex. */
  serial: string;
}

/** Writes a request (TimeStampReq) for the SHA-256 of a text; the answer shall contain the certificates. */
export function createTimeStampRequest({ text, nonce }: TimeStampQuestion): Buffer {
  const request = new TimeStampReq({
    version: 1,
    messageImprint: new MessageImprint({
      hashAlgorithm: new AlgorithmIdentifier({
        algorithmId: SHA_256,
        algorithmParams: new Null(),
      }),
      hashedMessage: new OctetString({ valueHex: hash('sha256', text, 'buffer') }),
    }),
    nonce: Integer.fromBigInt(nonce),
    certReq: true,
  });
  return Buffer.from(request.toSchema().toBER());
}

/** Reads an answer (TimeStampResp) to a request. @throws TimeStampRefused */
export async function readTimeStampAnswer(
  bytes: Uint8Array,
  question: TimeStampQuestion,
  trust: TimeStampTrust,
): Promise<TimeStamp> {
  if (bytes.length > ANSWER_MAX_BYTES)
    throw new TimeStampRefused(`the answer is larger than ${ANSWER_MAX_BYTES} bytes`);
  const { token, signed, stamp } = parseAnswer(bytes);
  requireAnswer(stamp, question, trust.now);
  const certificate = await verifySignature(signed, stamp, { text: question.text, trust });
  return {
    token,
    issuer: describeSubject(certificate),
    issuedAt: stamp.genTime,
    serial: stamp.serialNumber.toBigInt().toString(16),
  };
}

interface ParsedAnswer {
  token: Buffer;
  signed: SignedData;
  stamp: TSTInfo;
}

/** @throws TimeStampRefused */
function parseAnswer(bytes: Uint8Array): ParsedAnswer {
  const answer = tryParsing('a response', () => TimeStampResp.fromBER(bytes));
  const { status, failInfo } = answer.status;
  if (status !== GRANTED && status !== GRANTED_WITH_MODIFICATIONS)
    throw new TimeStampRefused(
      `the authority refused: status ${String(status)}${failInfo ? `, ${failInfo.toString()}` : ''}`,
    );
  return tryParsing('a token', () => {
    const { result } = fromBER(bytes);
    const [, element] = result instanceof Sequence ? result.valueBlock.value : [];
    const token = Buffer.from(element?.valueBeforeDecodeView ?? []);
    const content = ContentInfo.fromBER(token);
    const signed = new SignedData({ schema: content.content });
    const { eContentType, eContent } = signed.encapContentInfo;
    if (eContentType !== TST_INFO || !eContent)
      throw new TimeStampRefused('the answer is about something else than a time stamp');
    return { token, signed, stamp: TSTInfo.fromBER(eContent.getValue()) };
  });
}

/** The library throws what it likes about malformed input. @throws TimeStampRefused */
function tryParsing<T>(what: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof TimeStampRefused) throw error;
    throw new TimeStampRefused(`the answer is not ${what} of RFC 3161`);
  }
}

/** @throws TimeStampRefused when the stamp is about another text, another request or another time */
function requireAnswer(stamp: TSTInfo, { text, nonce }: TimeStampQuestion, now: Date): void {
  const { hashAlgorithm, hashedMessage } = stamp.messageImprint;
  const imprint = Buffer.from(hashedMessage.valueBlock.valueHexView);
  const isOfText = hash('sha256', text, 'buffer').equals(imprint);
  if (hashAlgorithm.algorithmId !== SHA_256 || !isOfText)
    throw new TimeStampRefused('the stamp is of another text');
  if (stamp.nonce?.toBigInt() !== nonce)
    throw new TimeStampRefused('the stamp answers another request: its nonce differs');
  if (!(Math.abs(stamp.genTime.getTime() - now.getTime()) <= CLOCK_TOLERANCE_MS))
    throw new TimeStampRefused(`the stamp has another time: ${String(stamp.genTime)}`);
}

/** Verifies signature, certificate and path at the time of the stamp. @throws TimeStampRefused */
async function verifySignature(
  signed: SignedData,
  { genTime: time }: TSTInfo,
  { text, trust: { roots } }: { text: string; trust: TimeStampTrust },
): Promise<ParsedCertificate> {
  const signer = requireSigner(signed);
  const certificate = await findSigner(signed, text);
  const fault = findSignerFault(certificate.parts) ?? findCertificateFault(certificate.parts, time);
  if (fault !== null) throw new TimeStampRefused(`the certificate ${fault}`);
  if (!hasCertificateName(signer, certificate.x509.raw))
    throw new TimeStampRefused('the stamp does not name its certificate');
  if (roots === null) return certificate;
  const given = listCertificates(signed).map(parseTwice);
  const trusted = roots.map((root) => parseTwice(Certificate.fromBER(root)));
  const lost = findPathFault(certificate, { given, roots: trusted, time });
  if (lost !== null) throw new TimeStampRefused(lost);
  return certificate;
}

const listCertificates = ({ certificates = [] }: SignedData): Certificate[] =>
  certificates.filter((one) => one instanceof Certificate);

/** @throws TimeStampRefused when not one signer signed a time stamp by SHA-2, or with more around it than stamps have */
function requireSigner(signed: SignedData): SignerInfo {
  const [signer, ...others] = signed.signerInfos;
  if (!signer || others.length > 0) throw new TimeStampRefused('the stamp has not one signer');
  const { signedAttrs, signatureAlgorithm, digestAlgorithm } = signer;
  if ((signed.certificates?.length ?? 0) > CERTIFICATES_MAX)
    throw new TimeStampRefused(`the answer has more than ${CERTIFICATES_MAX} certificates`);
  const attributes = signedAttrs?.attributes ?? [];
  if (attributes.length > ATTRIBUTES_MAX || listCertificates(signed).some(isOversized))
    throw new TimeStampRefused('the answer has too many attributes, or a name of too many parts');
  const types = attributes.filter(({ type }) => type === CONTENT_TYPE);
  if (types.length !== 1 || types[0]?.values[0]?.getValue?.() !== TST_INFO)
    throw new TimeStampRefused('what is signed is no time stamp');
  if (!isStrong(signatureAlgorithm, digestAlgorithm))
    throw new TimeStampRefused('the stamp is not signed with SHA-2');
  return signer;
}

/** OpenSSL reads what it trusts by itself. @throws TimeStampRefused */
function parseTwice(parts: Certificate): ParsedCertificate {
  try {
    return { parts, x509: new X509Certificate(new Uint8Array(parts.toSchema().toBER())) };
  } catch {
    throw new TimeStampRefused('the answer has a certificate that cannot be read');
  }
}

/** Returns the certificate whose key made the signature. @throws TimeStampRefused */
async function findSigner(signed: SignedData, text: string): Promise<ParsedCertificate> {
  const data = Uint8Array.from(Buffer.from(text)).buffer;
  const result = await signed
    .verify({ signer: 0, data, extendedMode: true })
    .catch((error: unknown) => {
      throw new TimeStampRefused(String((error as Error).message));
    });
  if (result.signatureVerified && result.signerCertificate)
    return parseTwice(result.signerCertificate);
  throw new TimeStampRefused('the signature does not verify');
}
