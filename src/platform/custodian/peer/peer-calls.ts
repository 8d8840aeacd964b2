// What an installation asks the custodian of a peer, and what that answers: JSON over HTTP, with a token.
import { z } from 'zod';
import { EPOCH_KEY_BYTES } from '../custodian.ts';

const PUBLIC_KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

/** Base64 of bytes of one length. */
const decodeBytes = (length: number) =>
  z
    .base64()
    .transform((text) => Buffer.from(text, 'base64'))
    .refine((found) => found.length === length, `must be ${length} bytes`);

/** `POST /epochs/N` makes a key or finds it; `GET /epochs/N` finds it, null: there is none. */
export const madeKey = z.object({ key: decodeBytes(EPOCH_KEY_BYTES) });
export const foundKey = z.object({ key: decodeBytes(EPOCH_KEY_BYTES).nullable() });
/** `POST /epochs/N/destroy-before`: the oldest epoch of which there is a key. */
export const destroyed = z.object({ oldest: z.number().int() });
/** `GET /signer`. */
export const signer = z.object({ publicKey: decodeBytes(PUBLIC_KEY_BYTES) });
/** `POST /statements` with the text of a statement. */
export const statement = z.strictObject({ text: z.string().max(2048) });
export const signed = z.object({ signature: decodeBytes(SIGNATURE_BYTES) });
