// The SCIM token of an organisation: one at a time; only its digest is stored.
import { CREATED, defineCollection, type DocumentOf } from '../../../platform/mongo/collection.ts';

export const scimTokenSchema = defineCollection(
  'scim_tokens',
  { tokenHash: { type: String, required: true } },
  { timestamps: CREATED },
);
export interface ScimTokenDocument extends DocumentOf<typeof scimTokenSchema> {}
scimTokenSchema.index({ organizationId: 1 }, { name: 'organization', unique: true });
scimTokenSchema.index({ tokenHash: 1 }, { name: 'hash', unique: true });
