// The HTTP-Redirect binding of SAML: messages deflated and signed in a query (SAML bindings, section 3.4).
import { createPrivateKey, sign, X509Certificate } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { MAX_LOGOUT_BYTES } from './xml/encoding.ts';
import { RSA_SHA256 } from './names.ts';
import { SamlError } from './saml-error.ts';
import { isRsaMethod, hasValidSignature } from './signatures/rsa-methods.ts';

/** The query parameter that carries the message. */
export type MessageMember = 'SAMLRequest' | 'SAMLResponse';

export interface RedirectedMessage {
  member: MessageMember;
  xml: string;
  relayState: string;
}

const PARAMETERS = ['SAMLRequest', 'SAMLResponse', 'RelayState', 'SigAlg', 'Signature'];

export interface SamlRedirect {
  /** The URL that delivers a message to `location`. */
  buildUrl(
    location: string,
    member: MessageMember,
    message: { xml: string; relayState: string },
  ): string;
  /**
   * Reads the message in a query, whose signature must match one of `certificates` (PEM).
   * @throws SamlError
   */
  open(rawQuery: string, certificates: readonly string[]): RedirectedMessage;
}

/** `key`: the service provider's, in PEM; null: messages are sent unsigned. */
export function createSamlRedirect(key: string | null): SamlRedirect {
  const privateKey = key === null ? null : createPrivateKey(key);
  return {
    buildUrl(location, member, { xml, relayState }) {
      const message = {
        [member]: deflateRawSync(xml).toString('base64'),
        ...(relayState && { RelayState: relayState }),
      };
      const url = new URL(location);
      const unsigned = formatQuery({ ...message, ...(privateKey && { SigAlg: RSA_SHA256 }) });
      const signature =
        privateKey && sign('sha256', Buffer.from(unsigned), privateKey).toString('base64');
      const own =
        signature === null ? unsigned : `${unsigned}&${formatQuery({ Signature: signature })}`;
      url.search = url.search === '' ? own : `${url.search}&${own}`;
      return url.href;
    },
    open: openRedirect,
  };
}
const formatQuery = (members: Record<string, string>): string =>
  Object.entries(members)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');

function openRedirect(rawQuery: string, certificates: readonly string[]): RedirectedMessage {
  const raw = parseParameters(rawQuery);
  const member = raw.has('SAMLRequest') ? 'SAMLRequest' : 'SAMLResponse';
  if (raw.has('SAMLRequest') === raw.has('SAMLResponse'))
    throw new SamlError('The query must have one SAML message');
  const signed = [member, 'RelayState', 'SigAlg'].flatMap((name) =>
    raw.has(name) ? [`${name}=${raw.get(name)}`] : [],
  );
  const method = decodeParameter(raw, 'SigAlg');
  if (!isRsaMethod(method))
    throw new SamlError('The query is not signed, or by an unsupported algorithm');
  const value = decodeParameter(raw, 'Signature');
  const isValid = certificates.some((certificate) =>
    hasValidSignature(new X509Certificate(certificate).publicKey, {
      method,
      text: signed.join('&'),
      value,
    }),
  );
  if (!isValid) throw new SamlError('The signature of the query is invalid');
  return {
    member,
    xml: decompressMessage(decodeParameter(raw, member)),
    relayState: decodeParameter(raw, 'RelayState'),
  };
}

/** The SAML parameters in their original encoding, each at most once. */
function parseParameters(rawQuery: string): Map<string, string> {
  const raw = new Map<string, string>();
  for (const pair of rawQuery.split('&')) {
    const [name = '', ...value] = pair.split('=');
    if (!PARAMETERS.includes(name)) continue;
    if (raw.has(name)) throw new SamlError(`${name} occurs twice`);
    raw.set(name, value.join('='));
  }
  return raw;
}

function decodeParameter(raw: ReadonlyMap<string, string>, name: string): string {
  try {
    return decodeURIComponent((raw.get(name) ?? '').replaceAll('+', ' '));
  } catch {
    throw new SamlError(`${name} is not properly encoded`);
  }
}

function decompressMessage(base64: string): string {
  try {
    const bytes = inflateRawSync(Buffer.from(base64, 'base64'), {
      maxOutputLength: MAX_LOGOUT_BYTES,
    });
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new SamlError(
      `The message in the query cannot be inflated to ${MAX_LOGOUT_BYTES} bytes of UTF-8`,
    );
  }
}
