// Certificates and time stamps as no authority would make them: each part of them can be chosen.
import type { webcrypto } from 'node:crypto';
import * as asn1 from 'asn1js';
import * as pki from 'pkijs';

export interface TestKey extends webcrypto.CryptoKeyPair {
  /** Key id of its certificates. */
  id: Uint8Array;
}

const ECDSA = { name: 'ECDSA', namedCurve: 'P-256' };

export async function createKey(): Promise<TestKey> {
  const pair = await crypto.subtle.generateKey(ECDSA, true, ['sign', 'verify']);
  return { ...pair, id: crypto.getRandomValues(new Uint8Array(20)) };
}

export interface CertificateParts {
  subject: string;
  key: TestKey;
  issuer: string;
  issuerKey: TestKey;
  /** A CA with this path length; null: with none. Absent: no CA. */
  pathLength?: number | null;
  purposes?: string[];
  isPurposeCritical?: boolean;
  /** First byte of the key usage. */
  usage?: number;
  /** A critical extension that is not known. */
  isStrange?: boolean;
  hasKeyIds?: boolean;
  from?: Date;
  to?: Date;
  hash?: string;
  /** Attributes of the subject besides its name. */
  attributes?: number;
  publicKey?: pki.PublicKeyInfo;
}

export const TIME_STAMPING = '1.3.6.1.5.5.7.3.8';
const OIDS = { usage: '2.5.29.15', purposes: '2.5.29.37', basic: '2.5.29.19' };

function createName(name: string, attributes = 0): pki.RelativeDistinguishedNames {
  const parts = [name, ...Array.from({ length: attributes }, (_, at) => `part ${at}`)];
  return new pki.RelativeDistinguishedNames({
    typesAndValues: parts.map(
      (value) =>
        new pki.AttributeTypeAndValue({
          type: '2.5.4.3',
          value: new asn1.Utf8String({ value }),
        }),
    ),
  });
}

function listExtensions(parts: CertificateParts): pki.Extension[] {
  const {
    pathLength,
    purposes,
    isPurposeCritical = true,
    usage,
    isStrange,
    key,
    issuerKey,
  } = parts;
  const add = (extnID: string, critical: boolean, value: asn1.BaseBlock): pki.Extension =>
    new pki.Extension({ extnID, critical, extnValue: value.toBER() });
  const basic = new pki.BasicConstraints({
    cA: pathLength !== undefined,
    ...(typeof pathLength === 'number' && { pathLenConstraint: pathLength }),
  });
  const authority = new pki.AuthorityKeyIdentifier({
    keyIdentifier: new asn1.OctetString({ valueHex: issuerKey.id }),
  });
  return [
    add(OIDS.basic, true, basic.toSchema()),
    ...(usage === undefined
      ? []
      : [add(OIDS.usage, true, new asn1.BitString({ valueHex: Uint8Array.of(usage) }))]),
    ...(purposes
      ? [
          add(
            OIDS.purposes,
            isPurposeCritical,
            new pki.ExtKeyUsage({ keyPurposes: purposes }).toSchema(),
          ),
        ]
      : []),
    ...(isStrange ? [add('1.2.3.4.5', true, new asn1.Null())] : []),
    ...(parts.hasKeyIds
      ? [
          add('2.5.29.14', false, new asn1.OctetString({ valueHex: key.id })),
          add('2.5.29.35', false, authority.toSchema()),
        ]
      : []),
  ];
}

let serial = 0;

export async function createCertificate(parts: CertificateParts): Promise<pki.Certificate> {
  const { subject, key, issuer, issuerKey, hash = 'SHA-256', attributes } = parts;
  const certificate = new pki.Certificate();
  certificate.version = 2;
  certificate.serialNumber = new asn1.Integer({ value: ++serial });
  certificate.subject = createName(subject, attributes);
  certificate.issuer = createName(issuer);
  certificate.notBefore.value = parts.from ?? new Date('2020-01-01');
  certificate.notAfter.value = parts.to ?? new Date('2049-01-01');
  certificate.extensions = listExtensions(parts);
  await certificate.subjectPublicKeyInfo.importKey(key.publicKey);
  if (parts.publicKey) certificate.subjectPublicKeyInfo = parts.publicKey;
  await certificate.sign(issuerKey.privateKey, hash);
  return pki.Certificate.fromBER(certificate.toSchema(true).toBER());
}

export const toPem = (certificate: pki.Certificate): string =>
  `-----BEGIN CERTIFICATE-----\n${Buffer.from(certificate.toSchema().toBER()).toString('base64')}\n-----END CERTIFICATE-----\n`;

export interface TokenParts {
  text: string;
  /** SHA-256 in place of that of the text. */
  imprint?: ArrayBuffer;
  nonce?: bigint;
  signer: pki.Certificate;
  key: TestKey;
  certificates: readonly pki.Certificate[];
  at?: Date;
  hash?: string;
  /** The certificate that the attribute names; null: none. */
  named?: pki.Certificate | null;
  /** Further attributes that are signed. */
  attributes?: number;
}

const digestOf = async (
  hash: string,
  data: ArrayBuffer | Uint8Array<ArrayBuffer>,
): Promise<ArrayBuffer> => crypto.subtle.digest(hash, data);

/** Names a certificate as RFC 5035 does, by SHA-256. */
async function createCertificateName(certificate: pki.Certificate): Promise<pki.Attribute> {
  const hash = await digestOf('SHA-256', certificate.toSchema().toBER());
  const name = new asn1.Sequence({ value: [new asn1.OctetString({ valueHex: hash })] });
  const value = new asn1.Sequence({ value: [new asn1.Sequence({ value: [name] })] });
  return new pki.Attribute({ type: '1.2.840.113549.1.9.16.2.47', values: [value] });
}

/** Makes the answer of an authority (TimeStampResp). */
export async function createAnswer(parts: TokenParts): Promise<Uint8Array> {
  const { text, nonce, signer, key, certificates, at = new Date(), hash = 'SHA-256' } = parts;
  const info = new pki.TSTInfo({
    version: 1,
    policy: '1.2.3.4.1',
    messageImprint: new pki.MessageImprint({
      hashAlgorithm: new pki.AlgorithmIdentifier({ algorithmId: '2.16.840.1.101.3.4.2.1' }),
      hashedMessage: new asn1.OctetString({
        valueHex: parts.imprint ?? (await digestOf('SHA-256', Uint8Array.from(Buffer.from(text)))),
      }),
    }),
    serialNumber: new asn1.Integer({ value: 7 }),
    genTime: at,
    ...(nonce !== undefined && { nonce: asn1.Integer.fromBigInt(nonce) }),
  });
  const content = info.toSchema().toBER();
  const named = parts.named === undefined ? signer : parts.named;
  const attributes = [
    new pki.Attribute({
      type: '1.2.840.113549.1.9.3',
      values: [new asn1.ObjectIdentifier({ value: '1.2.840.113549.1.9.16.1.4' })],
    }),
    new pki.Attribute({
      type: '1.2.840.113549.1.9.4',
      values: [new asn1.OctetString({ valueHex: await digestOf(hash, content) })],
    }),
    ...(named ? [await createCertificateName(named)] : []),
    ...Array.from(
      { length: parts.attributes ?? 0 },
      (_, part) => new pki.Attribute({ type: `1.2.3.${part}`, values: [new asn1.Null()] }),
    ),
  ];
  const signed = new pki.SignedData({
    version: 3,
    encapContentInfo: new pki.EncapsulatedContentInfo({
      eContentType: '1.2.840.113549.1.9.16.1.4',
      eContent: new asn1.OctetString({ valueHex: content }),
    }),
    signerInfos: [
      new pki.SignerInfo({
        version: 1,
        sid: new pki.IssuerAndSerialNumber({
          issuer: signer.issuer,
          serialNumber: signer.serialNumber,
        }),
        signedAttrs: new pki.SignedAndUnsignedAttributes({ type: 0, attributes }),
      }),
    ],
    certificates: [...certificates],
  });
  await signed.sign(key.privateKey, 0, hash, content);
  const token = new pki.ContentInfo({
    contentType: '1.2.840.113549.1.7.2',
    content: signed.toSchema(true),
  });
  const answer = new asn1.Sequence({
    value: [new asn1.Sequence({ value: [new asn1.Integer({ value: 0 })] }), token.toSchema()],
  });
  return new Uint8Array(answer.toBER());
}

/** Answers a request with a stamp whose two certificates have issued each other. */
export async function createCircularAnswer(request: Uint8Array): Promise<Buffer> {
  const { messageImprint, nonce } = pki.TimeStampReq.fromBER(request);
  const [key, issuerKey] = [await createKey(), await createKey()];
  const usual = { pathLength: null, purposes: [TIME_STAMPING] };
  const [a, b] = ['A', 'B'];
  const signer = await createCertificate({ ...usual, subject: a, key, issuer: b, issuerKey });
  const other = await createCertificate({
    ...usual,
    subject: b,
    key: issuerKey,
    issuer: a,
    issuerKey: key,
  });
  const answer = await createAnswer({
    text: '',
    imprint: Uint8Array.from(messageImprint.hashedMessage.valueBlock.valueHexView).buffer,
    ...(nonce && { nonce: nonce.toBigInt() }),
    signer,
    key,
    certificates: [signer, other],
  });
  return Buffer.from(answer);
}
