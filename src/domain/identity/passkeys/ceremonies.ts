// The two ceremonies of WebAuthn, by its library: a passkey is registered, and a passkey signs.
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { PASSKEY_ALGORITHMS, type StoredPasskeyKey } from './public-key.ts';
import type { RelyingParty } from './relying-party.ts';

export type CreationOptions = PublicKeyCredentialCreationOptionsJSON;
export type RequestOptions = PublicKeyCredentialRequestOptionsJSON;

/** What the browser made of `navigator.credentials.create`. */
export interface Registration {
  id: string;
  clientDataJSON: string;
  attestationObject: string;
}

/** What the browser made of `navigator.credentials.get`; all base64url. */
export type PasskeyAssertion = {
  credentialId: string;
  clientDataJSON: string;
  authenticatorData: string;
  signature: string;
};

type Bytes = Uint8Array<ArrayBuffer>;

interface Person {
  userId: string;
  email: string;
  name: string;
}

export function createRegistrationOptions(
  { rpId }: RelyingParty,
  { userId, email, name }: Person,
  { challenge, exclude }: { challenge: Bytes; exclude: readonly string[] },
): Promise<CreationOptions> {
  return generateRegistrationOptions({
    rpName: 'Assay',
    rpID: rpId,
    userName: email,
    userDisplayName: name,
    userID: new Uint8Array(Buffer.from(userId, 'hex')),
    challenge,
    attestationType: 'none',
    excludeCredentials: exclude.map((id) => ({ id })),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
    supportedAlgorithmIDs: PASSKEY_ALGORITHMS,
  });
}

/** Null: it does not hold. */
export async function checkRegistration(
  { rpId, origin }: RelyingParty,
  { id, ...response }: Registration,
  challenge: Bytes,
): Promise<StoredPasskeyKey | null> {
  const answer = { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response };
  const checked = await verifyRegistrationResponse({
    response: answer as RegistrationResponseJSON,
    expectedChallenge: toText(challenge),
    expectedOrigin: origin,
    expectedRPID: rpId,
    requireUserVerification: true,
    supportedAlgorithmIDs: PASSKEY_ALGORITHMS,
  }).catch(() => null);
  if (!checked?.verified) return null;
  const { credential, aaguid, credentialDeviceType, credentialBackedUp } = checked.registrationInfo;
  if (credential.id !== id) return null;
  return {
    cose: toText(credential.publicKey),
    rpId,
    aaguid,
    deviceType: credentialDeviceType,
    backedUp: credentialBackedUp,
  };
}

/** `allow`: ids of passkeys; empty: any that the authenticator has for this domain. */
export function createRequestOptions(
  { rpId }: RelyingParty,
  challenge: Bytes,
  allow: readonly string[],
): Promise<RequestOptions> {
  return generateAuthenticationOptions({
    rpID: rpId,
    challenge,
    allowCredentials: allow.map((id) => ({ id })),
    userVerification: 'required',
  });
}

/** Whether the key has signed the challenge at this origin, with its person verified. Counters are not relied upon. */
export async function isAssertionOf(
  { rpId, origin }: RelyingParty,
  { credentialId: id, ...response }: PasskeyAssertion,
  { challenge, cose }: { challenge: Bytes; cose: string },
): Promise<boolean> {
  const answer = { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response };
  const checked = await verifyAuthenticationResponse({
    response: answer as AuthenticationResponseJSON,
    expectedChallenge: toText(challenge),
    expectedOrigin: origin,
    expectedRPID: rpId,
    requireUserVerification: true,
    credential: { id, publicKey: new Uint8Array(Buffer.from(cose, 'base64url')), counter: 0 },
  }).catch(() => null);
  return checked?.verified === true;
}

const toText = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
