// Signatures of people: takes those by passkeys that count, each over exactly what it is asked for.
import type { JsonObject } from '@assay/json';
import {
  createRequestOptions,
  isAssertionOf,
  type PasskeyAssertion,
  type RequestOptions,
} from '../../../domain/identity/passkeys/ceremonies.ts';
import {
  computeKeyDigest,
  type PasskeyKey,
  toPasskeyKey,
} from '../../../domain/identity/passkeys/public-key.ts';
import { toRelyingParty } from '../../../domain/identity/passkeys/relying-party.ts';
import {
  computeChallenge,
  computeCredentialHash,
} from '../../../domain/identity/passkeys/statements.ts';
import { AppError } from '../../../errors.ts';
import type { Platform } from '../../../platform/platform.ts';
import { type CredentialStanding, loadStandings } from './credential-entries.service.ts';
import type { PasskeyDocument } from './passkeys.model.ts';

/** Whose signature: a person in an organisation. */
export interface Signatory {
  organizationId: string;
  userId: string;
}

/** What an entry commits to of a signature (formats.md). */
export type SignedStatement = {
  statement: JsonObject;
  assertion: JsonObject;
  credential: JsonObject;
};

/** A statement to sign, and what a browser needs for it. */
export interface SignatureRequest {
  statement: JsonObject;
  /** What `navigator.credentials.get` takes, with the passkeys of the person that count. */
  options: RequestOptions;
}

/** A passkey with how it stands in the chain. */
export interface KnownPasskey {
  passkey: PasskeyDocument;
  standing: CredentialStanding;
}

/** Passkeys that have an entry, in the order of their enrolment; `userId` absent: of everyone in the organisation. */
export async function listPasskeys(
  platform: Platform,
  { organizationId, userId }: { organizationId: string; userId?: string },
): Promise<KnownPasskey[]> {
  const where = { organizationId, ...(userId !== undefined && { userId }) };
  const found = await platform.models.passkeys
    .find(where)
    .sort({ _id: 1 })
    .lean<PasskeyDocument[]>();
  const ids = found.map(({ credentialId }) => credentialId);
  const standings = await loadStandings(platform, organizationId, ids);
  return found.flatMap((passkey) => {
    const standing = standings.get(passkey.credentialId);
    return standing ? [{ passkey, standing }] : [];
  });
}

const isConfirmed = ({ standing }: KnownPasskey): boolean => standing.status === 'confirmed';

export async function requestSignature(
  platform: Platform,
  signatory: Signatory,
  statement: JsonObject,
): Promise<SignatureRequest> {
  const own = (await listPasskeys(platform, signatory)).filter(isConfirmed);
  const party = toRelyingParty(platform.publicUrl);
  const ids = own.map(({ passkey }) => passkey.rawId);
  return {
    statement,
    options: await createRequestOptions(party, computeChallenge(statement), ids),
  };
}

/** Returns what an entry commits to. @throws AppError `SIGNATURE_INVALID` */
export async function takeSignature(
  platform: Platform,
  signatory: Signatory,
  { statement, signature }: { statement: JsonObject; signature: PasskeyAssertion },
): Promise<SignedStatement> {
  const { passkey, standing } = await findSigner(platform, signatory, signature.credentialId);
  const publicKey = readKey(passkey);
  if (standing.confirmed === null || computeKeyDigest(publicKey) !== standing.digest)
    throw refuse('The passkey is not the one that was enrolled');
  const party = toRelyingParty(platform.publicUrl);
  const given = { challenge: computeChallenge(statement), cose: passkey.cose };
  if (!(await isAssertionOf(party, signature, given)))
    throw refuse(
      'The signature is not of this statement, not from here, or without verifying the person: read the statement again and sign it',
    );
  const { credentialId: id, confirmed } = standing;
  return { statement, assertion: { ...signature }, credential: { id, confirmed, publicKey } };
}

async function findSigner(
  platform: Platform,
  { organizationId, userId }: Signatory,
  rawId: string,
): Promise<KnownPasskey> {
  const credentialId = computeCredentialHash(rawId);
  const passkey = await platform.models.passkeys
    .findOne({ organizationId, userId, credentialId })
    .lean<PasskeyDocument>();
  const standings = await loadStandings(platform, organizationId, [credentialId]);
  const standing = standings.get(credentialId);
  if (!passkey || standing?.userId !== userId)
    throw refuse('The passkey is none that you enrolled in this organisation');
  if (standing.status !== 'confirmed')
    throw refuse(
      standing.status === 'revoked'
        ? 'The passkey was revoked'
        : 'The passkey is not confirmed yet: another person with one confirms it',
    );
  return { passkey, standing };
}

/** @throws AppError `SIGNATURE_INVALID` */
function readKey(passkey: PasskeyDocument): PasskeyKey {
  try {
    return toPasskeyKey(passkey);
  } catch {
    throw refuse('The passkey is not the one that was enrolled');
  }
}

const refuse = (why: string): AppError => new AppError('SIGNATURE_INVALID', why);
