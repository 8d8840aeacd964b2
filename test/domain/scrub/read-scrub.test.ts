// A stored decision is scrubbed for its reader by the rules in force, and others are served between two of them.
import { expect, test } from 'vitest';
import { createScrubber } from '@assay/scrub';
import { toStoredView, toTraceView } from '../../../src/decisions/traces/traces.view.ts';
import type { TraceDocument } from '../../../src/decisions/traces/traces.model.ts';

const scrubber = createScrubber({ nationalIds: true, extended: true });
const LENGTH = 100_000;

/** Each text needs close checks at any place. */
const hostile = [
  '4111 ',
  '+1 2 3 4 5 6 7 8 ',
  '44051401359 ',
  'ssn 1 2 3 4 5 6 7 8 ',
  'GB82 WEST 1234 5698 7654 32 ',
  'token=a1b2c3d4 ',
  'born on 1990-10-25 ',
];

const createInput = (unit: string) => ({
  prompt: `jane@example.com ${unit.repeat(Math.floor(LENGTH / unit.length))}`,
});

const toStored = (inputContext: object): TraceDocument =>
  ({
    sealed: { inputContext: { seed: '', text: JSON.stringify(inputContext) } },
  }) as unknown as TraceDocument;

test.each(hostile)('a reader sees a text full of %j as it is scrubbed by itself', async (unit) => {
  const inputContext = createInput(unit);
  const trace = toStored(inputContext);
  const view = await toTraceView(trace, scrubber);
  expect(view.inputContext).toEqual(scrubber.scrubValue(inputContext).value);
  expect(view.inputContext).not.toEqual(inputContext);
  expect(toStoredView(trace).inputContext).toEqual(inputContext);
  expect((await toTraceView(trace, null)).inputContext).toEqual(inputContext);
});

test('other requests are served after each decision that is scrubbed for its reader', async () => {
  const trace = toStored(createInput('+1 2 3 4 5 6 7 8 '));
  for (let read = 0; read < 3; read++) {
    let isServed = false;
    setImmediate(() => (isServed = true));
    await toTraceView(trace, scrubber);
    expect(isServed).toBe(true);
  }
});
