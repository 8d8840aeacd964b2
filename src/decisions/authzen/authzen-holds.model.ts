// The newest hold of each question of AuthZEN, by which a question is found again under another request id.
import {
  allowAbsent,
  defineCollection,
  type DocumentOf,
  typeAs,
} from '../../platform/mongo/collection.ts';

export const authzenHoldSchema = defineCollection(
  'access_holds',
  {
    /** Keyed digest of who asks for which action. */
    question: typeAs<string>(String),
    traceId: typeAs<string>(String),
    /** Keyed digest of what an access request has to repeat; absent in those of earlier versions. */
    binding: allowAbsent({ type: String }),
    /** Keyed digest of the actors that the subject names; null: none. */
    actors: allowAbsent({ type: String, default: null }),
    /** Until then the denial may be answered by an access request. */
    expiresAt: allowAbsent({ type: Date }),
  },
  { versionKey: false },
);
export interface AuthzenHoldDocument extends DocumentOf<typeof authzenHoldSchema> {}
authzenHoldSchema.index({ organizationId: 1, traceId: 1 }, { name: 'trace' });
authzenHoldSchema.index({ organizationId: 1, question: 1 }, { name: 'question', unique: true });
