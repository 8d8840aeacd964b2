// Generates arbitrary documents for the driver: usual and rare types, and names with a special meaning.
import fc from 'fast-check';
import { mongo, Types } from 'mongoose';

const { BSON } = mongo;

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme-ascii', maxLength: 40 }),
  fc.constantFrom('sequence', 'é', '\ufffd', '\u0000', 'a\u0000b', '', 'trace'),
);
const key = fc.oneof(
  fc.string({ maxLength: 24 }).map((name) => name.replaceAll('\u0000', '')),
  fc.constantFrom('view', 'kind', 'seed', 'text', '$ref', '$id', '$other', '__proto__', 'ключ'),
);
const usual = fc.oneof(
  ...[text, fc.constant(null), fc.boolean(), fc.integer(), fc.double(), fc.maxSafeInteger()],
  ...[
    fc.date({ noInvalidDate: true }),
    fc.uint8Array({ minLength: 12, maxLength: 12 }).map((id) => new Types.ObjectId(id)),
  ],
);
const rare = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((value) => BSON.Long.fromBigInt(value)),
  fc
    .tuple(fc.uint8Array({ maxLength: 20 }), fc.constantFrom(0, 0, 2, 5, 128))
    .map(([bytes, kind]) => new BSON.Binary(bytes, kind)),
  ...[fc.constant(new BSON.Decimal128('1.5')), fc.constant(/a/i), fc.constant(new BSON.MinKey())],
  ...[fc.constant(undefined), fc.constant(new BSON.Timestamp({ t: 1, i: 2 }))],
);
export const { document } = fc.letrec<{ document: Record<string, unknown>; value: unknown }>(
  (tie) => ({
    document: fc
      .array(fc.tuple(key, tie('value')), { maxLength: 8 })
      .map((members) => Object.fromEntries(members) as Record<string, unknown>),
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      { arbitrary: usual, weight: 8 },
      { arbitrary: rare, weight: 1 },
      { arbitrary: tie('document'), weight: 2 },
      { arbitrary: fc.array(tie('value'), { maxLength: 4 }), weight: 1 },
    ),
  }),
);
