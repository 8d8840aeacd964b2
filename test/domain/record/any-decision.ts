// Random decisions for property tests.
import fc from 'fast-check';
import type { Json, JsonObject } from '@assay/json';

const word = fc.constantFrom<Json>(
  'alpha',
  'beta',
  'bob@example.org',
  'delete_user',
  'ask bob',
  0.1,
  0.2,
  0.3,
  4111111111111111,
  true,
  null,
);
const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    word,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('tool', 'amount', 'price', 'z', 'a', 'to', '1'), tie('value'), {
      maxKeys: 4,
    }),
  ),
}));
const object = fc.dictionary(fc.constantFrom('tool', 'amount', 'fee', 'z', 'a', '10', '9'), value);
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
/** Decisions in the form agents submit them: some personal, some with amounts, some matched by library policies. */
export const anyDecision = fc
  .record({
    agentId: fc.constantFrom('desk', 'bob@example.org'),
    inputContext: fc.record({ prompt: fc.constantFrom('p', 'ask bob@example.org') }),
    outputDecision: fc.record({
      action: fc.oneof(fc.constantFrom<Json>('reply', 'delete user'), object),
      rationale: optional(fc.constantFrom('because', 'ask bob@example.org')),
      toolCalls: optional(fc.array(object, { maxLength: 3 })),
    }),
    rationale: optional(fc.constantFrom('because', 'maybe')),
    metadata: optional(object),
    alternatives: optional(
      fc.array(fc.record({ decision: object, confidence: fc.constantFrom(0.2, 0.9) }), {
        maxLength: 3,
      }),
    ),
  })
  .map((made) => JSON.parse(JSON.stringify(made)) as JsonObject);
