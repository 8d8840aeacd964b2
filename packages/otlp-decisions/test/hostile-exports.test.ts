// Damaged exports: whatever is cut or changed, a request is refused, and never a fault.
// @module-tag varied
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ExportError, type ExportEncoding, readTraceExport } from '../src/index.ts';
import { readBytes } from '../../../test/setup/otlp/exports.ts';
import { chooseRuns } from '../../../test/setup/runs.ts';

const recordings: { name: string; encoding: ExportEncoding }[] = [
  { name: 'otel-js-proto', encoding: 'protobuf' },
  { name: 'traceloop-openai-agents', encoding: 'protobuf' },
  { name: 'otel-js-json', encoding: 'json' },
];

/** `read`, or why it was refused. */
function tryRead(bytes: Uint8Array, encoding: ExportEncoding): string {
  try {
    readTraceExport(bytes, encoding);
    return 'read';
  } catch (error) {
    if (error instanceof ExportError) return error.isTooLarge ? 'too large' : 'no export';
    throw error;
  }
}

const ANSWERS = ['read', 'no export', 'too large'];

test.for(recordings)('$name, cut at every byte', ({ name, encoding }) => {
  const whole = readBytes(name);
  const outcomes = new Set<string>();
  for (let end = 0; end < whole.length; end++)
    outcomes.add(tryRead(whole.subarray(0, end), encoding));
  expect([...outcomes].every((outcome) => ANSWERS.includes(outcome))).toBe(true);
  expect(outcomes).toContain('no export');
});

const anyChange = fc.array(
  fc.record({ at: fc.nat(), byte: fc.integer({ min: 0, max: 255 }), cut: fc.nat({ max: 8 }) }),
  { minLength: 1, maxLength: 12 },
);

test.for(recordings)('$name, with changed and missing bytes', ({ name, encoding }) => {
  const whole = readBytes(name);
  fc.assert(
    fc.property(anyChange, (changes) => {
      let bytes = Buffer.from(whole);
      for (const { at, byte, cut } of changes) {
        const place = at % bytes.length;
        bytes[place] = byte;
        bytes = Buffer.concat([bytes.subarray(0, place + 1), bytes.subarray(place + 1 + cut)]);
      }
      expect(ANSWERS).toContain(tryRead(bytes, encoding));
    }),
    { numRuns: chooseRuns(300, 2_000) },
  );
});

test('any JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue({ depthSize: 'large' }), (value) => {
      const inner = { resourceSpans: [{ scopeSpans: [{ spans: [value] }], resource: value }] };
      for (const body of [value, { resourceSpans: value }, inner])
        expect(ANSWERS).toContain(tryRead(Buffer.from(JSON.stringify(body)), 'json'));
    }),
    { numRuns: chooseRuns(300, 2_000) },
  );
});
