// Damaged exports: whatever is cut or changed, a request is refused, and never a fault.
// @module-tag varied
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { readExport } from '../../../src/decisions/otlp/export-reader.ts';
import { useHarness } from '../../setup/fixtures.ts';
import { createOwner, createWorkspaceKey } from '../../setup/personas.ts';
import { chooseRuns } from '../../setup/runs.ts';
import { PROTOBUF, readBytes } from './exports.ts';

const { app } = useHarness();
const recordings = [
  { name: 'otel-js-proto', isProtobuf: true },
  { name: 'traceloop-openai-agents', isProtobuf: true },
  { name: 'otel-js-json', isProtobuf: false },
];

/** The code of a refusal; `read` where it was read. */
function tryRead(bytes: Uint8Array, isProtobuf: boolean): string {
  try {
    readExport({ bytes, isProtobuf });
    return 'read';
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
}

const ANSWERS = ['read', 'VALIDATION_ERROR', 'PAYLOAD_TOO_LARGE'];

test.for(recordings)('$name, cut at every byte', ({ name, isProtobuf }) => {
  const whole = readBytes(name);
  const outcomes = new Set<string>();
  for (let end = 0; end < whole.length; end++)
    outcomes.add(tryRead(whole.subarray(0, end), isProtobuf));
  expect([...outcomes].every((outcome) => ANSWERS.includes(outcome))).toBe(true);
  expect(outcomes).toContain('VALIDATION_ERROR');
});

const anyChange = fc.array(
  fc.record({ at: fc.nat(), byte: fc.integer({ min: 0, max: 255 }), cut: fc.nat({ max: 8 }) }),
  { minLength: 1, maxLength: 12 },
);

test.for(recordings)('$name, with changed and missing bytes', ({ name, isProtobuf }) => {
  const whole = readBytes(name);
  fc.assert(
    fc.property(anyChange, (changes) => {
      let bytes = Buffer.from(whole);
      for (const { at, byte, cut } of changes) {
        const place = at % bytes.length;
        bytes[place] = byte;
        bytes = Buffer.concat([bytes.subarray(0, place + 1), bytes.subarray(place + 1 + cut)]);
      }
      expect(ANSWERS).toContain(tryRead(bytes, isProtobuf));
    }),
    { numRuns: chooseRuns(300, 2_000) },
  );
});

test('any JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue({ depthSize: 'large' }), (value) => {
      const inner = { resourceSpans: [{ scopeSpans: [{ spans: [value] }], resource: value }] };
      for (const body of [value, { resourceSpans: value }, inner])
        expect(ANSWERS).toContain(tryRead(Buffer.from(JSON.stringify(body)), false));
    }),
    { numRuns: chooseRuns(300, 2_000) },
  );
});

test(
  'over HTTP, what is read is recorded and the rest is refused',
  { tags: ['long'] },
  async () => {
    const ada = await createOwner(app);
    const { key } = await createWorkspaceKey(app, ada);
    const whole = readBytes('otel-js-proto');
    const random = fc.sample(fc.record({ at: fc.nat(whole.length - 1), byte: fc.nat(255) }), 40);
    const statuses = new Set<number>();
    for (const { at, byte } of random) {
      const raw = Buffer.from(whole);
      raw[at] = byte;
      const headers = { 'content-type': PROTOBUF };
      statuses.add((await app.call('POST', '/v1/traces', { key, raw, headers })).status);
      const cut = raw.subarray(0, at);
      statuses.add((await app.call('POST', '/v1/traces', { key, raw: cut, headers })).status);
    }
    expect([...statuses].toSorted()).toEqual([200, 400]);
  },
);
