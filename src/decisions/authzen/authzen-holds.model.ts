// The newest hold of each question of AuthZEN, by which a question is found again under another request id.
import { defineCollection, type DocumentOf, typeAs } from '../../platform/mongo/collection.ts';

export const authzenHoldSchema = defineCollection(
  'access_holds',
  {
    /** Keyed digest of who asks for which action. */
    question: typeAs<string>(String),
    traceId: typeAs<string>(String),
  },
  { versionKey: false },
);
export interface AuthzenHoldDocument extends DocumentOf<typeof authzenHoldSchema> {}
authzenHoldSchema.index({ organizationId: 1, question: 1 }, { name: 'question', unique: true });
