// Tokens that workloads got in exchange for their own: only the SHA-256 is stored, and an expired one goes after a day.
import { Schema } from 'mongoose';
import type { Principal } from '../../../domain/workload/principal.ts';
import {
  CREATED,
  defineCollection,
  type DocumentOf,
  typeAs,
} from '../../../platform/mongo/collection.ts';

/** Until then an expired token is known, and answered as that. */
const KEPT_SECONDS = 24 * 3600;

export const runTokenSchema = defineCollection(
  'run_tokens',
  {
    agentId: { type: Schema.Types.ObjectId, required: true },
    trustId: { type: Schema.Types.ObjectId, required: true },
    tokenHash: { type: String, required: true },
    principal: typeAs<Principal>({ type: Schema.Types.Mixed, required: true }),
    expiresAt: { type: Date, required: true },
  },
  { timestamps: CREATED, minimize: false },
);
export interface RunTokenDocument extends DocumentOf<typeof runTokenSchema> {}
runTokenSchema.index({ tokenHash: 1 }, { name: 'hash', unique: true });
runTokenSchema.index({ expiresAt: 1 }, { name: 'expiry', expireAfterSeconds: KEPT_SECONDS });
