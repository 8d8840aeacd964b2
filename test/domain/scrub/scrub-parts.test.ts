// Scrubbing pauses inside a text too: the characters read and the close checks between two pauses are limited.
// @module-tag varied
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Folding } from '../../../src/domain/scrub/fold.ts';
import { Inspection } from '../../../src/domain/scrub/inspect.ts';
import { findSpans } from '../../../src/domain/scrub/rule.ts';
import { createScrubber, selectRules } from '../../../src/domain/scrub/scrubber.ts';
import type { Parts } from '../../../src/domain/others-turn.ts';
import { PART, STRIDE, Work, workLimits } from '../../../src/domain/work.ts';
import { toStoredView, toTraceView } from '../../../src/resources/traces/traces.view.ts';
import type { TraceDocument } from '../../../src/resources/traces/traces.model.ts';
import { chooseRuns } from '../../setup/runs.ts';

const options = { nationalIds: true, extended: true };
const scrubber = createScrubber(options);

/** Each needs close checks at any place. */
const hostile = [
  '4111 ',
  '1-',
  '+1 2 3 4 5 6 7 8 ',
  '+4917112345678',
  '0171 1234567 ',
  '44051401359 ',
  'ssn 1 2 3 4 5 6 7 8 ',
  'a@b.co ',
  'a%40',
  'GB82 WEST 1234 5698 7654 32 ',
  '::a1 ',
  'token=a1b2c3d4 ',
  'born on 1990-10-25 ',
  '𝟘',
  '\\u0031',
];
const LENGTH = 100_000;
const filled = (unit: string): string => unit.repeat(Math.floor(LENGTH / unit.length));

/** The most expensive match: each end of the longest labelled number, with the check digits of every country. */
const DEAREST = 250_000;

/** The result, the number of pauses, and the most steps between two pauses. */
function counted<T>(parts: Parts<T>, work: Work) {
  let most = 0;
  for (let pauses = 0; ; pauses++) {
    const before = work.left;
    const { done, value } = parts.next();
    most = Math.max(most, before - work.left);
    if (done) return { value, pauses, most };
  }
}

/** Strides until the end. */
function strides({ goOn }: { goOn: () => boolean }): number {
  let count = 1;
  while (goOn()) count++;
  return count;
}

describe('a text of 100,000 characters', () => {
  test.each(hostile)('of %j is inspected and folded stride by stride', (unit) => {
    const text = filled(unit);
    const inspection = new Inspection(text);
    const folding = new Folding(text);
    const expected = Math.floor(LENGTH / STRIDE);
    expect(strides({ goOn: () => inspection.inspectStride() })).toBeGreaterThanOrEqual(expected);
    expect(strides({ goOn: () => folding.foldStride() })).toBeGreaterThanOrEqual(expected);
  });

  test.each(hostile)('of %j pauses within each rule', (unit) => {
    for (const rule of selectRules(options)) {
      const work = new Work(workLimits.scrubbing);
      const { most } = counted(findSpans({ text: filled(unit), work }, rule), work);
      expect(most, rule.type).toBeLessThan(PART + DEAREST);
    }
  });

  test.each(hostile)('of %j gives others a turn at least every stride', (unit) => {
    const parts = scrubber.parts({ text: filled(unit) }, new Work(workLimits.scrubbing));
    const { value, pauses } = counted(parts, new Work(0));
    expect(pauses).toBeGreaterThanOrEqual(Math.floor(LENGTH / STRIDE));
    expect(value).toEqual(scrubber.scrubValue({ text: filled(unit) }));
  });

  test('gets its markers some thousand at a time', () => {
    const text = 'a@b.co '.repeat(10_000);
    const parts = scrubber.parts(text, new Work(Infinity));
    const { value, pauses } = counted(parts, new Work(0));
    expect(value.value).toBe('[EMAIL] '.repeat(10_000));
    expect(pauses).toBeGreaterThan(20);
  });
});

test('two texts scrubbed in alternating parts give the same results as each by itself', () => {
  const long = fc
    .array(fc.tuple(fc.constantFrom(...hostile), fc.nat(1_500)), { minLength: 1, maxLength: 3 })
    .map((pieces) => pieces.map(([unit, times]) => unit.repeat(times)).join(' '));
  fc.assert(
    fc.property(long, long, (one, other) => {
      const both = [one, other].map((text) => ({
        text,
        parts: scrubber.parts(text, new Work(workLimits.scrubbing)),
      }));
      for (let waiting = [...both]; waiting.length > 0;)
        waiting = waiting.filter(({ text, parts }) => {
          const { done, value } = parts.next();
          if (done) expect(value).toEqual(scrubber.scrubValue(text));
          return !done;
        });
    }),
    { numRuns: chooseRuns(10, 80) },
  );
});

/** The turns of the event loop until the work is done. */
async function turnsDuring<T>(work: Promise<T>): Promise<{ value: T; turns: number }> {
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const value = await work.finally(() => (isDone = true));
  return { value, turns };
}

test('the event loop runs while a stored decision is scrubbed for its reader', async () => {
  const inputContext = { prompt: filled('+1 2 3 4 5 6 7 8 ') };
  const text = JSON.stringify(inputContext);
  const trace = { sealed: { inputContext: { seed: '', text } } } as unknown as TraceDocument;
  const { value, turns } = await turnsDuring(toTraceView(trace, scrubber));
  expect(value.inputContext).toEqual(scrubber.scrubValue(inputContext).value);
  expect(turns).toBeGreaterThanOrEqual(Math.floor(LENGTH / STRIDE));
  expect(toStoredView(trace).inputContext).toEqual(inputContext);
});
