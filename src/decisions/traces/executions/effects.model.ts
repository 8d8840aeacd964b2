// The effects of claimed actions: one open reservation an organisation, so that an effect is brought about once.
import { Schema, type Types } from 'mongoose';
import { guardTenancy } from '../../../platform/mongo/tenancy.ts';

export const EFFECT_STATES = ['claimed', 'succeeded', 'unknown'] as const;

export interface EffectDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  /** Keyed digest of the effect. */
  key: string;
  traceId: string;
  executionId: Types.ObjectId;
  /** A failed execution has no reservation: the next may try. */
  state: (typeof EFFECT_STATES)[number];
  /** When it was compared with its execution. */
  checkedAt: Date;
  /** It is being given back: no claim may begin with it. */
  isEnding?: true;
}

export const effectSchema = new Schema<EffectDocument>(
  {
    key: { type: String, required: true },
    traceId: { type: String, required: true },
    executionId: { type: Schema.Types.ObjectId, required: true },
    state: { type: String, enum: EFFECT_STATES, required: true },
    checkedAt: { type: Date, required: true },
    isEnding: { type: Boolean, default: undefined },
  },
  { collection: 'effects', autoIndex: false, versionKey: false },
);
effectSchema.plugin(guardTenancy);
effectSchema.index({ organizationId: 1, key: 1 }, { name: 'once', unique: true });
effectSchema.index({ organizationId: 1, executionId: 1 }, { name: 'execution' });
effectSchema.index({ state: 1, checkedAt: 1 }, { name: 'unsettled' });
