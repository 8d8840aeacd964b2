// How many decisions an hour or a day had, of each key of a dimension: a verdict, an agent, a path.
import { defineCollection } from '../../../platform/mongo/collection.ts';

export const DIMENSIONS = [
  /** All decisions; the key is the verdict. */
  'verdict',
  /** Registered agents: id and verdict. */
  'agent',
  /** The confidence, in twentieths. */
  'confidence',
  /** How long a held decision waited for a person, in buckets; counted when that was. */
  'wait',
  /** `toPathKey` of where it came from and went to; a later entry moves it. */
  'path',
  /** The mark of a tool, and the verdict. */
  'tool',
] as const;
export type Dimension = (typeof DIMENSIONS)[number];

export const decisionCountSchema = defineCollection(
  'decision_counts',
  {
    workspaceId: { type: String, required: true },
    dimension: { type: String, enum: DIMENSIONS, required: true },
    unit: { type: String, enum: ['hour', 'day'], required: true },
    /** Its beginning, in UTC. */
    at: { type: Date, required: true },
    /** Ids, keyed digests and fixed words: nothing of a decision. */
    key: { type: String, required: true },
    count: { type: Number, default: 0 },
    /** Absent: it stays. */
    expiresAt: Date,
  },
  { versionKey: false },
);
decisionCountSchema.index(
  { organizationId: 1, dimension: 1, unit: 1, at: 1, workspaceId: 1, key: 1 },
  { name: 'count', unique: true },
);
decisionCountSchema.index({ expiresAt: 1 }, { name: 'expiry', expireAfterSeconds: 0 });
