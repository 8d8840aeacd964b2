// Passkeys in the browser: makes one, and signs with one. What it answers becomes the texts that the service takes.
import { ApiError } from './api-error.ts';
import { api, readData } from './client.ts';
import type { components } from './schema.gen.d.ts';

export type PasskeySignature = components['schemas']['PasskeySignature'];
export type SignatureRequest = components['schemas']['SignatureRequest'];
type NewPasskey = components['schemas']['PasskeyInput']['credential'];

const toText = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** The person gave up, has no passkey here, or the browser knows none. */
function refuse(cause: unknown): never {
  const failed = new ApiError(403, null, {
    code: 'SIGNATURE_REQUIRED',
    error: 'It was not signed: the passkey was not used. Enrol one under Security if you have none',
  });
  failed.cause = cause;
  throw failed;
}

/** @throws ApiError */
export async function createPasskey(options: object): Promise<NewPasskey> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as never);
  const made = await navigator.credentials.create({ publicKey }).catch(refuse);
  const { id, response } = made as PublicKeyCredential;
  const { clientDataJSON, attestationObject } = response as AuthenticatorAttestationResponse;
  return {
    id,
    clientDataJSON: toText(clientDataJSON),
    attestationObject: toText(attestationObject),
  };
}

/** @throws ApiError */
export async function signRequest({ options }: SignatureRequest): Promise<PasskeySignature> {
  const { allowCredentials = [] } = options as { allowCredentials?: unknown[] };
  if (allowCredentials.length === 0 || !('PublicKeyCredential' in globalThis)) refuse('no passkey');
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as never);
  const given = await navigator.credentials.get({ publicKey }).catch(refuse);
  const { id: credentialId, response } = given as PublicKeyCredential;
  const answer = response as AuthenticatorAssertionResponse;
  const { clientDataJSON, authenticatorData, signature } = answer;
  return {
    credentialId,
    clientDataJSON: toText(clientDataJSON),
    authenticatorData: toText(authenticatorData),
    signature: toText(signature),
  };
}

/** Signs the approval of an item as it is now. @throws ApiError */
export async function signApproval(id: string, edits: unknown): Promise<PasskeySignature> {
  const query = {
    decision: 'approve' as const,
    ...(edits !== undefined && { edits: JSON.stringify(edits) }),
  };
  const path = '/api/v1/review-queue/{id}/statement';
  return signRequest(await readData(api.GET(path, { params: { path: { id }, query } })));
}
