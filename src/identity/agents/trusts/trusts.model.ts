// Which workloads may act as an agent, by the tokens of their issuers. A trust is never changed, and kept when it ends.
import { Schema } from 'mongoose';
import type { ExpectedClaim, ExpectedText } from '../../../domain/workload/trust-rule.ts';
import type { PublicKeySet } from '../../../domain/workload/foreign-token.ts';
import type { Grant } from '../../../domain/workload/grant.ts';
import {
  CREATED,
  defineCollection,
  type DocumentOf,
  typeAs,
} from '../../../platform/mongo/collection.ts';

const { Mixed } = Schema.Types;

export const agentTrustSchema = defineCollection(
  'agent_trusts',
  {
    agentId: { type: Schema.Types.ObjectId, required: true },
    issuer: { type: String, required: true },
    /** Null: the address of this service. */
    audience: { type: String, default: null },
    subject: typeAs<ExpectedText>({ type: Mixed, required: true }),
    /** As pairs, since names of claims may hold dots. */
    claims: typeAs<[name: string, value: ExpectedClaim][]>({ type: Mixed, required: true }),
    /** Null: those that the issuer publishes. */
    jwks: typeAs<PublicKeySet | null>({ type: Mixed, default: null }),
    maxAgeSeconds: { type: Number, default: null },
    /** Whether each token is accepted once. */
    once: { type: Boolean, default: true },
    grant: typeAs<Grant | null>({ type: Mixed, default: null }),
    createdBy: { type: Schema.Types.ObjectId, required: true },
    /** Null: it counts. */
    deletedAt: { type: Date, default: null },
  },
  { timestamps: CREATED, minimize: false },
);
export interface AgentTrustDocument extends DocumentOf<typeof agentTrustSchema> {}
agentTrustSchema.index({ organizationId: 1, agentId: 1, createdAt: -1 }, { name: 'agent' });
agentTrustSchema.index({ agentId: 1 }, { name: 'exchange' });
