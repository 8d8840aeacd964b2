// Inputs and views of passkeys (docs/guides/signed-approvals.md).
import { z } from 'zod';
import { CREDENTIAL_STATES } from '../../../domain/record/payload.ts';
import { optional } from '../../../http/declaration/optional.ts';
import { nameSchemas } from '../../../http/declaration/schema-names.ts';
import {
  base64url,
  existingPassword,
  id,
  instant,
  PASSKEY_ID_CHARACTERS,
  passkeySignature,
  signatureRequestView,
  singleLine,
} from '../../../http/declaration/views.ts';
import { PASSKEY_NAME_MAX } from './passkeys.model.ts';

const name = singleLine(PASSKEY_NAME_MAX);

export const enrolmentProof = z.object({
  code: optional(z.string().min(1).max(20)).describe(
    'While the second factor is on: a code of it, or a backup code',
  ),
  password: optional(existingPassword).describe('While the second factor is off'),
});
export const passkeyInput = z.strictObject({
  token: z.string().min(1).max(100).describe('Of the options'),
  name: name.describe('What its person calls it'),
  credential: z
    .strictObject({
      id: base64url(PASSKEY_ID_CHARACTERS),
      clientDataJSON: base64url(4000),
      attestationObject: base64url(16_000),
    })
    .describe('What `navigator.credentials.create` answers, each part as base64url'),
});
const tempToken = optional(z.string().min(1).max(2000)).describe(
  'Of a sign-in whose second factor it is; absent: the passkey is both factors',
);
export const passkeyLoginOptionsInput = z.strictObject({ tempToken });
export const passkeyLoginInput = z.strictObject({
  token: z.string().min(1).max(100).describe('Of the options'),
  tempToken,
  signature: passkeySignature,
});
export const passkeyChange = z.strictObject({ name });
export const confirmationInput = z.strictObject({
  signature: optional(passkeySignature).describe(
    'Of the statement, by a confirmed passkey of the caller; absent: the owner confirms their own after a day',
  ),
});
export const passkeyRemoval = z.strictObject({
  reason: optional(z.string().trim().min(1).max(500)),
});

export const passkeyView = z.object({
  _id: id,
  id,
  name: z.string(),
  userId: id,
  credentialId: z.string().describe('Its name in the chain: hex SHA-256 of the raw id'),
  status: z
    .enum(CREDENTIAL_STATES)
    .describe('`enrolled`: it waits for its confirmation; `confirmed`: its signatures count'),
  fingerprint: z.string().describe('hex SHA-256 of the canonical public key'),
  publicKey: z
    .object({
      spki: z.string(),
      alg: z.number().int(),
      rpId: z.string(),
      aaguid: z.string(),
      deviceType: z.enum(['singleDevice', 'multiDevice']),
      backedUp: z.boolean(),
    })
    .describe('Keep it: with it others check what was signed, without trusting this service'),
  synced: z.boolean().describe('Its provider can copy it to other devices'),
  enrolledAt: instant,
  sequence: z.number().int().describe('The entry that enrolled it'),
  confirmableAt: instant
    .nullable()
    .describe('From when its own person, an owner, may confirm it; null: another person does'),
  lastUsedAt: instant.nullable(),
});
export type PasskeyView = z.input<typeof passkeyView>;

const json = z.record(z.string(), z.unknown());
export const enrolmentOptionsView = z.object({
  token: z.string().describe('To be sent with the passkey; good once, for five minutes'),
  options: json.describe('For `navigator.credentials.create`, as JSON'),
});
export const passkeyLoginOptionsView = z.object({
  token: z.string().describe('To be sent with the signature; good once, for five minutes'),
  options: json.describe('For `navigator.credentials.get`, as JSON'),
});
export const waitingPasskeyView = passkeyView.extend({
  person: z.object({ name: z.string(), email: z.string() }),
  request: signatureRequestView.describe('What the caller signs to confirm it'),
});

nameSchemas({
  PasskeyInput: passkeyInput,
  PasskeyConfirmationInput: confirmationInput,
  Passkey: passkeyView,
  WaitingPasskey: waitingPasskeyView,
  PasskeyOptions: enrolmentOptionsView,
  PasskeyLoginInput: passkeyLoginInput,
  PasskeyLoginOptionsInput: passkeyLoginOptionsInput,
  PasskeyLoginOptions: passkeyLoginOptionsView,
});
