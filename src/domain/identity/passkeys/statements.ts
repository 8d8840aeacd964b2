// What people sign with passkeys besides approvals, and the challenge that stands for it (formats.md).
import { createHash } from 'node:crypto';
import { canonicalize, type JsonObject } from '@assay/json';
import type { Position } from '../../record/chain.ts';

/** The bytes that an authenticator signs for a statement. */
export const computeChallenge = (statement: JsonObject): Uint8Array<ArrayBuffer> =>
  new Uint8Array(createHash('sha256').update(canonicalize(statement)).digest());

/** The hex SHA-256 of the raw id of a passkey. */
export const computeCredentialHash = (rawId: string): string =>
  createHash('sha256').update(Buffer.from(rawId, 'base64url')).digest('hex');

interface Enrolled {
  organizationId: string;
  userId: string;
}

/** `nonce`: makes each enrolment another one. */
export const createEnrolmentStatement = (
  { organizationId, userId }: Enrolled,
  nonce: string,
): JsonObject => ({ format: 'assay-enrolment/v1', organizationId, userId, nonce });

interface Confirmed extends Enrolled {
  credentialId: string;
  digest: string;
  /** The place where it was enrolled. */
  after: Position;
}

export const createConfirmationStatement = ({
  organizationId,
  userId,
  credentialId,
  digest,
  after: { sequence, chainHash },
}: Confirmed): JsonObject => ({
  format: 'assay-confirmation/v1',
  organizationId,
  userId,
  credentialId,
  digest,
  after: { sequence, chainHash },
});

/** What is signed to sign in. `nonce`: good once. */
export const createSignInStatement = (nonce: string): JsonObject => ({
  format: 'assay-sign-in/v1',
  nonce,
});
