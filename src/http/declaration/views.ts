// Atoms of inputs and public views: the only place where an ObjectId or a Date becomes text.
import { z } from 'zod';
import { isCommonPassword } from '../../domain/identity/common-passwords.ts';

interface HexId {
  toHexString(): string;
}

/** A database id, shown as 24 hex digits. */
export const id = z.codec(
  z.custom<HexId | string>((v) => v != null),
  z.string().regex(/^[0-9a-f]{24}$/),
  {
    decode: (value) => (typeof value === 'string' ? value : value.toHexString()),
    encode: (value) => value,
  },
);

/** A moment, shown as ISO 8601 in UTC with milliseconds. */
export const instant = z.codec(z.date(), z.iso.datetime(), {
  decode: (date) => date.toISOString(),
  encode: (text) => new Date(text),
});

/** An id in a path: anything else is an unknown record. */
export const idParam = z
  .string()
  .regex(/^[0-9a-fA-F]{24}$/)
  .transform((text) => text.toLowerCase());
export const byId = z.object({ id: idParam });

/** A trimmed text of 1 to `max` characters. */
export const line = (max: number) => z.string().trim().min(1).max(max);

/** An e-mail address, lower-cased. */
export const emailAddress = z.string().trim().toLowerCase().max(254).pipe(z.email());

/** At least 10 characters with an upper-case letter, a lower-case letter and a digit, and none of the commonest. */
export const newPassword = z
  .string()
  .min(10, 'at least 10 characters')
  .max(128)
  .regex(/\p{Lu}/u, 'needs an upper-case letter')
  .regex(/\p{Ll}/u, 'needs a lower-case letter')
  .regex(/\d/, 'needs a digit')
  .refine((password) => !isCommonPassword(password), 'is one of the commonest passwords');

/** What was a password when it was set. */
export const existingPassword = z.string().min(1).max(128);

/** Free-form JSON object of a caller; safe by the body parser. */
export const freeObject = z.record(z.string(), z.json());

/** A query date: ISO 8601 date or date-time; a bare date as an upper bound means the end of that day. */
export const from = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })])
  .transform((text) => new Date(text));
export const to = z.union([
  z.iso.date().transform((text) => new Date(`${text}T23:59:59.999Z`)),
  z.iso.datetime({ offset: true }).transform((text) => new Date(text)),
]);
