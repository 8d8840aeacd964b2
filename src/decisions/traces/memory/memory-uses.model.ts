// Organisations that have used the memory search: from then on their decisions are indexed.
import { defineCollection, type DocumentOf } from '../../../platform/mongo/collection.ts';

export const memoryUseSchema = defineCollection(
  'memory_uses',
  { firstSearchedAt: { type: Date, required: true } },
  { versionKey: false },
);
export interface MemoryUseDocument extends DocumentOf<typeof memoryUseSchema> {}
memoryUseSchema.index({ organizationId: 1 }, { name: 'organization', unique: true });
