// E-mail domains that organisations claim for their SSO, and whether they have verified them.
import { defineCollection, type DocumentOf } from '../../../platform/mongo/collection.ts';

export const ssoDomainSchema = defineCollection(
  'sso_domains',
  {
    /** Lower-cased, in ASCII (punycode). */
    domain: { type: String, required: true, immutable: true },
    /** Part of the value that its TXT record must have. */
    challenge: { type: String, required: true, immutable: true },
    /** Null: only claimed, and not routed. At most one organisation at a time has verified a domain. */
    verifiedAt: { type: Date, default: null },
    verifiedBy: { type: String, enum: ['dns', 'system', null], default: null },
  },
  { timestamps: true },
);
export interface SsoDomainDocument extends DocumentOf<typeof ssoDomainSchema> {}
ssoDomainSchema.index({ organizationId: 1, domain: 1 }, { name: 'claim', unique: true });
ssoDomainSchema.index(
  { domain: 1 },
  { name: 'owner', unique: true, partialFilterExpression: { verifiedAt: { $type: 'date' } } },
);
