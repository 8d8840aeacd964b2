// What an insurer asks with (document 1, section 7).
import { z } from 'zod';

export const pullInput = z.object({
  payload: z
    .looseObject({
      organizationId: z.string().regex(/^[0-9a-f]{24}$/),
      timestamp: z
        .unknown()
        .optional()
        .describe('ISO 8601 with its offset, or milliseconds since the epoch; required'),
    })
    .describe('All of it is signed, further members too'),
  signature: z
    .string()
    .max(200)
    .describe('HMAC-SHA256 over the canonical JSON (RFC 8785) of `payload`, in hex'),
  keyId: z.string().max(64),
});
