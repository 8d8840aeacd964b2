// Schemas that inputs and views are built of; ObjectIds and Dates become strings only here.
import { z } from 'zod';
import { LIMIT_SCOPES, LIMIT_WINDOW_NAMES } from '@assay/policy';
import { parseEmailAddress } from '../../domain/identity/addresses/email-address.ts';
import { optional } from './optional.ts';
import { nameSchemas } from './schema-names.ts';
import { PLANS } from '../../domain/identity/plans.ts';
import { ROLES } from '../../domain/identity/roles.ts';
import { isCommonPassword } from '../../domain/identity/common-passwords.ts';

interface HexId {
  toHexString(): string;
}

/** A database id as 24 hex digits. */
export const id = z.codec(
  z.custom<HexId | string>((v) => v != null),
  z.string().regex(/^[0-9a-f]{24}$/),
  {
    decode: (value) => (typeof value === 'string' ? value : value.toHexString()),
    encode: (value) => value,
  },
);

/** A point in time as ISO 8601 in UTC with milliseconds. */
export const instant = z.codec(z.date(), z.iso.datetime(), {
  decode: (date) => date.toISOString(),
  encode: (text) => new Date(text),
});

/** Creates the view of a deleted document; each resource names its own in the API document. */
export const createDeletedView = () => z.object({ _id: id, id, deleted: z.literal(true) });

/** What a search is for. */
export const searchWords = z.string().trim().min(1).max(500);
/** The id by which an agent names a person or another subject. */
export const subjectName = z.string().trim().min(1).max(200);

/** An id in a path; a malformed one is answered `NOT_FOUND`. */
export const idParam = z
  .string()
  .regex(/^[0-9a-fA-F]{24}$/)
  .transform((text) => text.toLowerCase());
export const byId = z.object({ id: idParam });

/** The id that an agent is answered with. */
export const TRACE_ID = /^trc_[0-9a-f]{32}$/;
/** A decision in a path: its object id or its `traceId`; anything else is answered `NOT_FOUND`. */
export const byTrace = z.object({ id: z.union([idParam, z.string().regex(TRACE_ID)]) });

/** Characters that end a line or change the text direction. */
const NOT_IN_A_LINE = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/u;
/** Control characters except line breaks and tabs. */
const NOT_IN_PROSE = /[^\P{Cc}\n\r\t]/u;

const createTrimmedText = (forbidden: RegExp, max: number) =>
  z
    .string()
    .trim()
    .max(max)
    .refine((text) => !forbidden.test(text), 'must not contain control characters');

/** A trimmed string of 1 to `max` characters on one line. */
export const singleLine = (max: number) => createTrimmedText(NOT_IN_A_LINE, max).min(1);

/** A trimmed string of 1 to `max` characters on any number of lines. */
export const multiLine = (max: number) => createTrimmedText(NOT_IN_PROSE, max).min(1);

/** An optional text on any number of lines; an empty text counts as absent, as does null. */
export const optionalText = (max: number) =>
  optional(
    createTrimmedText(NOT_IN_PROSE, max)
      .nullable()
      .transform((text) => text || undefined),
  );

/** An e-mail address, normalised. */
export const emailAddress = z
  .string()
  .max(254)
  .meta({ format: 'idn-email' })
  .transform((text, context) => {
    const parsed = parseEmailAddress(text);
    if ('address' in parsed) return parsed.address;
    context.addIssue({ code: 'custom', message: parsed.problem });
    return z.NEVER;
  });

/** Maximum length of a password as typed: combining characters count separately before normalisation. */
const TYPED_MAX = 512;

/** A new password: at least 10 characters with upper-case and lower-case letters and a digit, and not a common one. */
export const newPassword = z
  .string()
  .max(TYPED_MAX)
  .normalize('NFKC')
  .min(10, 'must have at least 10 characters')
  .max(128)
  .regex(/\p{Lu}/u, 'must contain an upper-case letter')
  .regex(/\p{Ll}/u, 'must contain a lower-case letter')
  .regex(/\d/, 'must contain a digit')
  .refine((password) => !isCommonPassword(password), 'is too common')
  .describe(
    'At least ten characters, with an upper-case letter, a lower-case letter and a digit; no common password',
  );

/** A password to verify; only its length is checked. */
export const existingPassword = z.string().min(1).max(TYPED_MAX);

/** A list whose length is checked before its items are validated. */
export const boundedList = <T extends z.ZodType>(item: T, max: number, min = 0) => {
  const list = z.array(item).max(max);
  const counted = z.preprocess(
    (value, context) => {
      if (!Array.isArray(value) || value.length <= max) return value;
      context.addIssue({
        code: 'custom',
        message: `must have at most ${max} ${max === 1 ? 'element' : 'elements'}`,
      });
      return z.NEVER;
    },
    min > 0 ? list.min(min) : list,
  );
  return counted.nonoptional();
};

/** A free-form JSON object; the body parser has checked that it is safe. */
export const freeObject = z.record(z.string(), z.json());

/** A number in a query; an empty text is invalid instead of zero. */
export const queryNumber = <T extends z.ZodType>(number: T) =>
  z.preprocess((given) => (String(given).trim() === '' ? Number.NaN : given), number);

/** A query date: ISO 8601 date or date-time; a bare date as an upper bound means the end of that day. */
export const from = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })])
  .transform((text) => new Date(text));
export const to = z.union([
  z.iso.date().transform((text) => new Date(`${text}T23:59:59.999Z`)),
  z.iso.datetime({ offset: true }).transform((text) => new Date(text)),
]);

/** Roles of members, and plans of organisations. */
export const role = z.enum(ROLES);
export const planName = z.enum(PLANS);

/** An action of a policy with its limit. */
export const limitMembers = {
  at: z.number().int().describe('The place of the action in the policy'),
  type: z.enum(['block', 'flag_for_review']),
  of: z.string(),
  per: z.enum(LIMIT_SCOPES),
  window: z.enum(LIMIT_WINDOW_NAMES),
  most: z.number(),
};

export const base64url = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[A-Za-z0-9_-]+$/, 'must be base64url without padding');
/** An id of a passkey has at most 1,023 bytes. */
export const PASSKEY_ID_CHARACTERS = 1364;

/** What a passkey answers when it signs. */
export const passkeySignature = z
  .strictObject({
    credentialId: base64url(PASSKEY_ID_CHARACTERS).describe('The id of the passkey'),
    clientDataJSON: base64url(4000),
    authenticatorData: base64url(4000),
    signature: base64url(2000),
  })
  .describe('What `navigator.credentials.get` answers, each part as base64url');

const members = z.record(z.string(), z.unknown());
export const signatureRequestView = z.object({
  statement: members.describe('What is signed; the challenge is the SHA-256 of its canonical JSON'),
  options: members.describe('For `navigator.credentials.get`, as JSON'),
});

nameSchemas({
  PasskeySignature: passkeySignature,
  SignatureRequest: signatureRequestView,
  Id: id,
  Instant: instant,
  DateFrom: from,
  DateTo: to,
  Role: role,
  Plan: planName,
});
