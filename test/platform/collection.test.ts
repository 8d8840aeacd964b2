// What a collection is made of, and that the type of its documents says what its members say.
import { Schema, type Types } from 'mongoose';
import { expect, expectTypeOf, test } from 'vitest';
import {
  allowAbsent,
  CREATED,
  defineCollection,
  definePart,
  type DocumentOf,
  typeAs,
} from '../../src/platform/mongo/collection.ts';

const step = definePart({ at: Date, note: { type: String, default: null } });
const schema = defineCollection(
  'plans',
  {
    title: { type: String, required: true },
    state: { type: String, enum: ['open', 'done'], default: 'open' },
    closedAt: { type: Date, default: null },
    count: Number,
    tags: [String],
    steps: { type: [step], default: [] },
    owner: { name: { type: String, required: true }, id: Schema.Types.ObjectId },
    rules: typeAs<{ all: boolean }>({ type: Schema.Types.Mixed, required: true }),
    later: allowAbsent({ type: Number, default: 0 }),
  },
  { timestamps: CREATED },
);

test('the type of a document is that of its members', () => {
  expectTypeOf<DocumentOf<typeof schema>>().toEqualTypeOf<{
    _id: Types.ObjectId;
    organizationId: Types.ObjectId;
    title: string;
    state: 'open' | 'done';
    closedAt: Date | null;
    count?: number;
    tags: string[];
    steps: { at: Date; note: string | null }[];
    owner: { name: string; id?: Types.ObjectId };
    rules: { all: boolean };
    later?: number;
    createdAt: Date;
  }>();
});

test('a collection belongs to organisations, and its parts have no ids', () => {
  expect(schema.path('organizationId').isRequired).toBe(true);
  expect(schema.path('createdAt')).toBeDefined();
  expect(schema.path('updatedAt')).toBeUndefined();
  expect(step.path('_id')).toBeUndefined();
  expect(schema.get('collection')).toBe('plans');
});

test('a collection of no organisation has an id of its own', () => {
  const free = defineCollection(
    'doors',
    { _id: { type: String, required: true } },
    { ofNoTenant: true },
  );
  expectTypeOf<DocumentOf<typeof free>>().toEqualTypeOf<{ _id: string }>();
  expect(free.path('organizationId')).toBeUndefined();
});
