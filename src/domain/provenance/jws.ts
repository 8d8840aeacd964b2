// Signed texts: JWS compact, ES256, with canonical headers (RFC 7515).
import { canonicalize } from '@assay/json';

export const JWS_ALGORITHM = 'ES256';

/** A signing key; `sign` returns ECDSA with SHA-256 as r and s. */
export interface JwsSigner {
  /** SHA-256 of the SPKI in hex. */
  kid: string;
  sign: (bytes: Uint8Array) => Promise<Uint8Array>;
}

/** Signs a text. `typ` names its kind, so that it cannot pass for another kind. */
export async function signText(
  text: string,
  typ: string,
  { kid, sign }: JwsSigner,
): Promise<string> {
  const header = canonicalize({ alg: JWS_ALGORITHM, kid, typ });
  const input = `${encodeText(header)}.${encodeText(text)}`;
  const signature = await sign(Buffer.from(input));
  return `${input}.${Buffer.from(signature).toString('base64url')}`;
}

const encodeText = (text: string): string => Buffer.from(text).toString('base64url');
