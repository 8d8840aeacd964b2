// Access requests that were sent with an Idempotency-Key, so that a repeated one gets its task; they go a day after it ends.
import { defineCollection, type DocumentOf } from '../../platform/mongo/collection.ts';

export const accessSubmissionSchema = defineCollection(
  'access_submissions',
  {
    /** Keyed digest of requester and key. */
    once: { type: String, required: true, immutable: true },
    /** Keyed digest of the body. */
    body: { type: String, required: true, immutable: true },
    traceId: { type: String, required: true, immutable: true },
    expiresAt: { type: Date, required: true },
  },
  { versionKey: false },
);
export interface AccessSubmissionDocument extends DocumentOf<typeof accessSubmissionSchema> {}
accessSubmissionSchema.index({ organizationId: 1, once: 1 }, { name: 'once', unique: true });
accessSubmissionSchema.index({ expiresAt: 1 }, { name: 'expiry', expireAfterSeconds: 0 });
