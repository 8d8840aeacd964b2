// A SAML identity provider that really signs and encrypts, and that tests can make say anything.
import { createPublicKey, sign as signBytes } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { SignedXml } from 'xml-crypto';
import { encrypt } from 'xml-encryption';
import { createSelfSigned, type KeyPair } from './self-signed.ts';
import { toObjectId, type Harness } from '../harness.ts';
import type { Owner } from '../personas.ts';

const DS = 'http://www.w3.org/2000/09/xmldsig#';
const NAMESPACES =
  'xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"';
const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
const SHA256 = 'http://www.w3.org/2001/04/xmlenc#sha256';
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';
export const EMAIL_FORMAT = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';
export const PERSISTENT_FORMAT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';
export const EMAIL_ATTRIBUTE = 'urn:oid:0.9.2342.19200300.100.1.3';

/** The content of a response; null omits a part. */
export interface ResponseContent {
  responseId: string;
  version: string | null;
  issueInstant: string | null;
  destination: string | null;
  responseInResponseTo: string | null;
  responseIssuer: string | null;
  status: string | null;
  assertionId: string;
  assertionIssuer: string | null;
  nameId: string | null;
  nameIdFormat: string | null;
  method: string | null;
  recipient: string | null;
  inResponseTo: string | null;
  confirmedUntil: string | null;
  notBefore: string | null;
  notOnOrAfter: string | null;
  audience: string | null;
  /** Further conditions, as XML. */
  conditions: string;
  authnInstant: string | null;
  sessionIndex: string | null;
  sessionUntil: string | null;
  /** Further statements, as XML. */
  statements: string;
  attributes: Record<string, readonly string[]>;
}

export interface Signing {
  pair: KeyPair;
  signatureAlgorithm: string;
  digestAlgorithm: string;
  transforms: readonly string[];
  canonicalization: string;
  /** Shown in KeyInfo. */
  shown: string | null;
}

/** A request that arrived at the provider by a redirect. */
export interface SamlRequest {
  xml: string;
  id: string;
  issuer: string;
  relayState: string;
  query: URLSearchParams;
}

const renderAttribute = (name: string, value: string | null): string =>
  value === null ? '' : ` ${name}="${value}"`;
const renderTag = (name: string, text: string | null, attributes = ''): string =>
  text === null ? '' : `<saml:${name}${attributes}>${text}</saml:${name}>`;
const escapeXml = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');
let responseCount = 0;

export class SamlIdentityProvider {
  readonly entityId: string;
  readonly ssoUrl: string;
  readonly sloUrl: string;
  readonly pair: KeyPair;
  readonly #now: () => Date;

  constructor(now: () => Date, name = 'idp') {
    this.#now = now;
    this.entityId = `https://${name}.example.org/metadata`;
    this.ssoUrl = `https://${name}.example.org/sso?tenant=7`;
    this.sloUrl = `https://${name}.example.org/slo`;
    this.pair = createSelfSigned(name);
  }

  toInstant(seconds: number): string {
    return new Date(this.#now().getTime() + seconds * 1000).toISOString();
  }

  /** Reads what a redirect brings. */
  receive(address: string): SamlRequest {
    const query = new URL(address).searchParams;
    const message = query.get('SAMLRequest') ?? query.get('SAMLResponse') ?? '';
    const xml = inflateRawSync(Buffer.from(message, 'base64')).toString();
    return {
      xml,
      query,
      relayState: query.get('RelayState') ?? '',
      id: / ID="([^"]+)"/.exec(xml)?.[1] ?? '',
      issuer: /<saml:Issuer>([^<]+)</.exec(xml)?.[1] ?? '',
    };
  }

  /** Creates the content of an honest response to a request. */
  createContent(asked: SamlRequest, nameId: string): ResponseContent {
    responseCount += 1;
    const assertionConsumer = /AssertionConsumerServiceURL="([^"]+)"/.exec(asked.xml)?.[1] ?? '';
    return {
      responseId: `_r${responseCount}`,
      assertionId: `_a${responseCount}`,
      version: '2.0',
      issueInstant: this.toInstant(0),
      authnInstant: this.toInstant(-5),
      notBefore: this.toInstant(-30),
      notOnOrAfter: this.toInstant(300),
      confirmedUntil: this.toInstant(300),
      sessionUntil: this.toInstant(3600),
      statements: '',
      destination: assertionConsumer,
      recipient: assertionConsumer,
      audience: asked.issuer,
      responseInResponseTo: asked.id,
      inResponseTo: asked.id,
      responseIssuer: this.entityId,
      assertionIssuer: this.entityId,
      status: 'urn:oasis:names:tc:SAML:2.0:status:Success',
      method: 'urn:oasis:names:tc:SAML:2.0:cm:bearer',
      nameId,
      nameIdFormat: PERSISTENT_FORMAT,
      sessionIndex: `_s${responseCount}`,
      conditions: '',
      attributes: {},
    };
  }

  /** A response as an honest provider sends it: the assertion signed. */
  createResponse(asked: SamlRequest, nameId: string, more: Partial<ResponseContent> = {}): string {
    return toBase64(
      this.sign(renderResponse({ ...this.createContent(asked, nameId), ...more }), 'Assertion'),
    );
  }

  /** Signs an element of a document in place, behind its issuer. */
  sign(xml: string, element: string, how: Partial<Signing> = {}): string {
    const {
      pair = this.pair,
      shown = null,
      transforms = [`${DS}enveloped-signature`, EXCLUSIVE],
    } = how;
    const signer = new SignedXml({
      privateKey: pair.key,
      signatureAlgorithm: how.signatureAlgorithm ?? RSA_SHA256,
      canonicalizationAlgorithm: how.canonicalization ?? EXCLUSIVE,
      getKeyInfoContent: () =>
        shown &&
        `<X509Data><X509Certificate>${shown.replace(/-----[^-]+-----|\s/g, '')}</X509Certificate></X509Data>`,
    } as ConstructorParameters<typeof SignedXml>[0]);
    // What only a hostile provider would use leaves the text as it is, so that nothing but its name is wrong.
    class Unchanged {
      process = (node: unknown): unknown => node;
      getAlgorithmName = (): string => '';
    }
    for (const name of transforms)
      (signer.CanonicalizationAlgorithms as Record<string, unknown>)[name] ??= Unchanged;
    const place = `//*[local-name(.)='${element}']`;
    signer.addReference({
      xpath: place,
      transforms: [...transforms],
      digestAlgorithm: how.digestAlgorithm ?? SHA256,
    });
    if (how.signatureAlgorithm?.includes('hmac')) {
      signer.enableHMAC();
      signer.privateKey = createPublicKey(pair.certificate).export({ type: 'spki', format: 'pem' });
    }
    signer.computeSignature(xml, {
      location: { reference: `${place}/*[local-name(.)='Issuer']`, action: 'after' },
      prefix: 'ds',
    });
    return signer.getSignedXml();
  }

  /** Puts the assertion of a document in an envelope for the holder of `certificate`. */
  async encrypt(xml: string, certificate: string, how: EncryptionOptions = {}): Promise<string> {
    const [assertion = ''] = findAssertion(xml);
    const options = {
      rsa_pub: createPublicKey(certificate).export({ type: 'spki', format: 'pem' }),
      pem: certificate,
      encryptionAlgorithm: how.content ?? 'http://www.w3.org/2009/xmlenc11#aes256-gcm',
      keyEncryptionAlgorithm: how.key ?? 'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p',
    };
    const text = how.text ?? assertion.replace('<saml:Assertion', `<saml:Assertion ${NAMESPACES}`);
    const encrypted = await new Promise<string>((resolve, reject) =>
      encrypt(text, { ...options, warnInsecureAlgorithm: false }, (error, result) =>
        error ? reject(error) : resolve(result),
      ),
    );
    return xml.replace(
      assertion,
      () => `<saml:EncryptedAssertion>${encrypted}</saml:EncryptedAssertion>`,
    );
  }

  /** The query of a signed message in an address. */
  signRedirect(
    member: string,
    xml: string,
    { relayState = '', pair = this.pair, algorithm = RSA_SHA256 } = {},
  ): string {
    const encode = encodeURIComponent;
    const parts = [`${member}=${encode(deflateRawSync(xml).toString('base64'))}`];
    if (relayState !== '') parts.push(`RelayState=${encode(relayState)}`);
    parts.push(`SigAlg=${encode(algorithm)}`);
    const hash = algorithm.endsWith('sha1') ? 'sha1' : 'sha256';
    const signature = signBytes(hash, Buffer.from(parts.join('&')), pair.key).toString('base64');
    return [...parts, `Signature=${encode(signature)}`].join('&');
  }
}

interface EncryptionOptions {
  content?: string;
  key?: string;
  /** Instead of the assertion. */
  text?: string;
}

export const toBase64 = (xml: string): string => Buffer.from(xml).toString('base64');
export const findAssertion = (xml: string): string[] =>
  /<saml:Assertion[\s\S]*<\/saml:Assertion>/.exec(xml) ?? [];

export function renderResponse(content: ResponseContent): string {
  const status =
    content.status && `<samlp:Status><samlp:StatusCode Value="${content.status}"/></samlp:Status>`;
  const { version, issueInstant } = content;
  return [
    `<samlp:Response ${NAMESPACES} ID="${content.responseId}"${renderAttribute('Version', version)}`,
    `${renderAttribute('IssueInstant', issueInstant)}${renderAttribute('Destination', content.destination)}`,
    `${renderAttribute('InResponseTo', content.responseInResponseTo)}>`,
    `${renderTag('Issuer', content.responseIssuer)}${status ?? ''}${renderAssertion(content)}</samlp:Response>`,
  ].join('');
}

function renderAssertion(content: ResponseContent): string {
  const data = [
    renderAttribute('InResponseTo', content.inResponseTo),
    renderAttribute('NotOnOrAfter', content.confirmedUntil),
    renderAttribute('Recipient', content.recipient),
  ].join('');
  const confirmation =
    content.method &&
    `<saml:SubjectConfirmation Method="${content.method}"><saml:SubjectConfirmationData${data}/></saml:SubjectConfirmation>`;
  const audience =
    content.audience && renderTag('AudienceRestriction', renderTag('Audience', content.audience));
  const period =
    renderAttribute('NotBefore', content.notBefore) +
    renderAttribute('NotOnOrAfter', content.notOnOrAfter);
  const session =
    renderAttribute('SessionIndex', content.sessionIndex) +
    renderAttribute('SessionNotOnOrAfter', content.sessionUntil);
  const authentication =
    content.authnInstant &&
    `<saml:AuthnStatement AuthnInstant="${content.authnInstant}"${session}><saml:AuthnContext/></saml:AuthnStatement>`;
  return [
    `<saml:Assertion ID="${content.assertionId}"${renderAttribute('Version', content.version)}`,
    `${renderAttribute('IssueInstant', content.issueInstant)}>${renderTag('Issuer', content.assertionIssuer)}`,
    renderTag(
      'Subject',
      renderTag('NameID', content.nameId, renderAttribute('Format', content.nameIdFormat)) +
        (confirmation ?? ''),
    ),
    renderTag('Conditions', (audience ?? '') + content.conditions, period),
    `${authentication ?? ''}${content.statements}${renderAttributes(content.attributes)}</saml:Assertion>`,
  ].join('');
}

function renderAttributes(attributes: ResponseContent['attributes']): string {
  const written = Object.entries(attributes).map(([name, values]) =>
    renderTag(
      'Attribute',
      values.map((value) => renderTag('AttributeValue', escapeXml(value))).join(''),
      renderAttribute('Name', name),
    ),
  );
  return written.length === 0 ? '' : renderTag('AttributeStatement', written.join(''));
}

export interface SamlSetting {
  idp: SamlIdentityProvider;
  /** Proved; none where it is left out. */
  domain?: string;
  certificates?: readonly string[];
  saml?: object;
  [member: string]: unknown;
}

/** Gives an organisation its identity provider. */
export async function useSaml({ db }: Harness, owner: Owner, setting: SamlSetting): Promise<void> {
  const { idp, domain, certificates = [idp.pair.certificate], saml, ...more } = setting;
  const ssoConfig = {
    provider: 'saml',
    requireMfaEvenWithSso: false,
    justInTime: true,
    oidc: null,
    saml: {
      entityId: idp.entityId,
      ssoUrl: idp.ssoUrl,
      sloUrl: idp.sloUrl,
      certificates,
      emailAttribute: EMAIL_ATTRIBUTE,
      nameAttribute: 'displayName',
      groupsAttribute: 'groups',
      ...saml,
    },
    ...more,
  };
  const where = { _id: toObjectId(owner.organizationId) };
  await db.collection('organizations').updateOne(where, { $set: { ssoConfig } });
  if (domain !== undefined) await useDomain({ db }, owner, domain);
}

/** Makes a domain one that the organisation has proved. */
export async function useDomain(
  { db }: Pick<Harness, 'db'>,
  owner: Owner,
  domain: string,
): Promise<void> {
  const row = {
    organizationId: toObjectId(owner.organizationId),
    domain,
    challenge: 'proved',
    verifiedBy: 'system',
  };
  const now = new Date();
  await db
    .collection('sso_domains')
    .insertOne({ ...row, verifiedAt: now, createdAt: now, updatedAt: now });
}
