// The body of a message that an external machine signed (document 1, section 7; verified in domain/signed-message.ts).
import { z } from 'zod';
import { optional } from './optional.ts';

/** `members`: the payload's members besides organisation and time. */
export const createSignedInput = <M extends z.ZodRawShape>(members: M) =>
  z.object({
    payload: z
      .looseObject({
        organizationId: z.string().regex(/^[0-9a-f]{24}$/),
        ...members,
        timestamp: optional(z.unknown()).describe(
          'ISO 8601 with its offset, or milliseconds since the epoch; required',
        ),
      })
      .describe('All of it is signed, further members too'),
    signature: z
      .string()
      .max(200)
      .describe('HMAC-SHA256 over the canonical JSON (RFC 8785) of `payload`, in hex'),
    keyId: z.string().max(64),
  });
