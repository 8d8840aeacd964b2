// Trying a policy on a made-up decision costs as much as judging one, so it runs in parts.
import { expect, test } from 'vitest';
import { atOnce, type Parts } from '../../../../src/domain/others-turn.ts';
import { tryPolicy } from '../../../../src/domain/policies/trials/dry-run.ts';
import { deriveFixtureFacts } from '../../../../src/domain/policies/trials/fixture.ts';
import { createScrubber } from '../../../../src/domain/scrub/scrubber.ts';
import { policy } from '../build.ts';

const scrubber = createScrubber({ nationalIds: true, extended: true });
const text = '+1 2 3 4 5 6 7 8 '.repeat(3_500);

function counted<T>(parts: Parts<T>): { value: T; pauses: number } {
  for (let pauses = 0; ; pauses++) {
    const { done, value } = parts.next();
    if (done) return { value, pauses };
  }
}

test('the facts of a fixture are found in parts', () => {
  const fixture = { inputContext: { prompt: text }, outputDecision: { action: 'call' } };
  const options = { scrubber, at: new Date(0) };
  const { value, pauses } = counted(deriveFixtureFacts(fixture, options));
  expect(value).toEqual(atOnce(deriveFixtureFacts(fixture, options)));
  expect(value['pii']).toEqual(expect.objectContaining({ outputTypes: [] }));
  expect(pauses).toBeGreaterThan(10);
});

test('what a policy makes of it is explained in parts', () => {
  const conditions = Array.from({ length: 50 }, (_, i) => ({
    field: 'text',
    operator: 'regex' as const,
    value: `z${i}`,
  }));
  const { value, pauses } = counted(tryPolicy(policy({ id: 'p', conditions }), { text }));
  expect(value.explanation).toHaveLength(50);
  expect(pauses).toBeGreaterThan(5);
});
