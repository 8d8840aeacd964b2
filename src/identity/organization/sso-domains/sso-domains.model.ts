// E-mail domains that organisations claim for their SSO, and whether they have verified them.
import { Schema, type Types } from 'mongoose';
import { guardTenancy } from '../../../platform/mongo/tenancy.ts';

export interface SsoDomainDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  /** Lower-cased, in ASCII (punycode). */
  domain: string;
  /** Part of the value that its TXT record must have. */
  challenge: string;
  /** Null: only claimed, and not routed. At most one organisation at a time has verified a domain. */
  verifiedAt: Date | null;
  verifiedBy: 'dns' | 'system' | null;
  createdAt: Date;
  updatedAt: Date;
}

export const ssoDomainSchema = new Schema<SsoDomainDocument>(
  {
    domain: { type: String, required: true, immutable: true },
    challenge: { type: String, required: true, immutable: true },
    verifiedAt: { type: Date, default: null },
    verifiedBy: { type: String, enum: ['dns', 'system', null], default: null },
  },
  { collection: 'sso_domains', timestamps: true, autoIndex: false },
);
ssoDomainSchema.plugin(guardTenancy);
ssoDomainSchema.index({ organizationId: 1, domain: 1 }, { name: 'claim', unique: true });
ssoDomainSchema.index(
  { domain: 1 },
  { name: 'owner', unique: true, partialFilterExpression: { verifiedAt: { $type: 'date' } } },
);
