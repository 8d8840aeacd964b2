// The effects of claimed actions: one open reservation an organisation, so that an effect is brought about once.
import { Schema } from 'mongoose';
import { defineCollection, type DocumentOf, typeAs } from '../../../platform/mongo/collection.ts';

export const EFFECT_STATES = ['claimed', 'succeeded', 'unknown'] as const;

export const effectSchema = defineCollection(
  'effects',
  {
    /** Keyed digest of the effect. */
    key: { type: String, required: true },
    traceId: { type: String, required: true },
    executionId: { type: Schema.Types.ObjectId, required: true },
    /** A failed execution has no reservation: the next may try. */
    state: { type: String, enum: EFFECT_STATES, required: true },
    /** When it was compared with its execution. */
    checkedAt: { type: Date, required: true },
    /** It is being given back: no claim may begin with it. */
    isEnding: typeAs<true | undefined>({ type: Boolean, default: undefined }),
  },
  { versionKey: false },
);
export interface EffectDocument extends DocumentOf<typeof effectSchema> {}
effectSchema.index({ organizationId: 1, key: 1 }, { name: 'once', unique: true });
effectSchema.index({ organizationId: 1, executionId: 1 }, { name: 'execution' });
effectSchema.index({ state: 1, checkedAt: 1 }, { name: 'unsettled' });
