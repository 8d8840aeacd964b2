// What a hostile caller puts into the wires of other standards: odd values, members that stand twice, broken compression.
import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '@assay/json';
import { deriveSessionKey, signEnvelope } from '../../../src/domain/acs/signature.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { createOwner, createWorkspaceKey } from '../../setup/personas.ts';
import { buildExport, buildToolSpan } from '../../setup/otlp/exports.ts';
import { PROTOBUF, sendExport } from '../otlp/sending.ts';

const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
let key: string;
let others: { token: string; key: string };
beforeAll(async () => {
  ({ key } = await createWorkspaceKey(app, ada));
  const eve = await createOwner(app, 'Eve');
  others = { token: eve.token, key: (await createWorkspaceKey(app, eve)).key };
});

const countDecisions = async (token: string): Promise<number> =>
  (await app.call('GET', '/api/v1/traces?limit=1', { token })).body.total;

const nestLists = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
/** Texts of JSON that stand for a value; members that stand twice are among them. */
const ODD: readonly [what: string, text: string][] = [
  ['half a character', '"\\ud800"'],
  ['a character of nothing', '"a\\u0000b"'],
  ['a text of a megabyte', `"${'x'.repeat(1_000_000)}"`],
  ['lines and marks of direction', '"a\\nb\\u202e\\u2028"'],
  ['a number beyond all', '1e999'],
  ['a number that no double has', '90071992547409931234567890'],
  ['the prototype', '{"__proto__":{"polluted":1},"constructor":{"prototype":{}}}'],
  ['operators of the database', '{"$where":"sleep(1)","a.b":1,"$gt":""}'],
  ['a member that stands twice', '{"amount":1,"amount":820000}'],
  ['forty levels', nestLists(40)],
  ['a hundred levels', nestLists(100)],
  ['ten thousand levels', nestLists(10_000)],
  ['ten thousand members', `{${Array.from({ length: 10_000 }, (_, at) => `"m${at}":0`)}}`],
];

test.for(ODD)('a question with %s is answered or refused', async ([, text]) => {
  const raws = ['id', 'properties'].flatMap((member) => [
    `{"subject":{"type":"user","id":"a","${member}":${text}},"action":{"name":"read"},"resource":{"type":"r","id":"1"}}`,
    `{"evaluations":[{"subject":{"type":"user","id":"a","${member}":${text}}}],"action":{"name":"read"},"resource":{"type":"r","id":"1"},"context":${text}}`,
  ]);
  for (const [at, raw] of raws.entries()) {
    const path = `/access/v1/evaluation${at % 2 === 0 ? '' : 's'}`;
    const { status } = await app.call('POST', path, { key, raw });
    expect([200, 400, 413]).toContain(status);
  }
});

test.for(ODD)('a step with %s is a disposition or an error of JSON-RPC', async ([, text]) => {
  const session = randomUUID();
  const build = (name: string, args: string): string =>
    `{"jsonrpc":"2.0","id":1,"method":"steps/toolCallRequest","params":{"acs_version":"0.1.0",` +
    `"request_id":"${randomUUID()}","timestamp":"${new Date().toISOString()}",` +
    `"metadata":{"agent_id":"desk","session_id":"${session}"},` +
    `"payload":{"tool":{"name":${name}},"arguments":${args}}}}`;
  for (const unsigned of [
    build(text, '{}'),
    build('"read"', text),
    build('"read"', `{"a":${text}}`),
  ]) {
    let raw = unsigned;
    try {
      const envelope = JSON.parse(unsigned) as JsonObject;
      const secret = { key: deriveSessionKey(key, session), keyId: 'k' };
      raw = JSON.stringify(signEnvelope(envelope, 'params', secret));
    } catch {
      // What cannot be signed is sent as it is.
    }
    const { status, body } = await app.call('POST', '/acs', { key, raw });
    expect([200, 413]).toContain(status);
    if (status === 200) expect(body.result?.decision ?? body.error.code).toBeDefined();
  }
});

test.for(ODD)('a span with %s becomes one decision at most', async ([, text]) => {
  const before = await countDecisions(ada.token);
  const buildAttribute = (name: string, value: string) => `{"key":"${name}","value":${value}}`;
  const places = [
    buildAttribute('gen_ai.tool.call.arguments', `{"stringValue":${JSON.stringify(text)}}`),
    buildAttribute('gen_ai.tool.name', `{"stringValue":${text}}`),
    buildAttribute('gen_ai.agent.name', `{"stringValue":${text}}`),
    buildAttribute('gen_ai.conversation.id', `{"intValue":${text}}`),
    buildAttribute('gen_ai.tool.name', text),
  ];
  for (const place of places) {
    const span = buildToolSpan() as { attributes: object[] };
    const whole = JSON.stringify(buildExport({ ...span, attributes: [] }));
    const kept = JSON.stringify(span.attributes).slice(1, -1);
    const raw = whole.replace('"attributes":[]', () => `"attributes":[${kept},${place}]`);
    const { status } = await app.call('POST', '/v1/traces', { key, raw });
    expect([200, 400, 413]).toContain(status);
  }
  const { length } = places;
  expect((await countDecisions(ada.token)) - before).toBeLessThanOrEqual(length);
});

test.for([
  ['times of the end of time', { endTimeUnixNano: '18446744073709551615' }],
  ['times below zero', { startTimeUnixNano: '-5', endTimeUnixNano: -1 }],
  ['times that are none', { startTimeUnixNano: {}, endTimeUnixNano: 'soon' }],
  ['a status of another type', { status: [1], kind: 'CLIENT', events: {} }],
  ['itself as its parent', { spanId: '00f067aa0ba902b7', parentSpanId: '00f067aa0ba902b7' }],
  ['ids of another alphabet', { traceId: 'zz', spanId: 'K'.repeat(16) }],
] as const)('a span with %s is read or refused', async ([, more]) => {
  const answer = await sendExport(app, key, buildExport(buildToolSpan({}, more)));
  expect([200, 400]).toContain(answer.status);
});

test('an export that is packed wrongly is refused, and one of several parts is read', async () => {
  const whole = Buffer.from(JSON.stringify(buildExport(buildToolSpan())));
  const packed = gzipSync(whole);
  const sendPacked = async (raw: Uint8Array, type = 'application/json') =>
    (
      await app.call('POST', '/v1/traces', {
        key,
        raw,
        headers: { 'content-type': type, 'content-encoding': 'gzip' },
      })
    ).status;
  const damaged = Buffer.from(packed);
  damaged[20]! ^= 0xff;
  expect(await sendPacked(packed.subarray(0, packed.length - 9))).toBe(400);
  expect(await sendPacked(damaged)).toBe(400);
  expect(await sendPacked(whole)).toBe(400);
  expect(await sendPacked(gzipSync(packed), PROTOBUF)).toBe(400);
  const halves = [whole.subarray(0, 50), whole.subarray(50)].map((half) => gzipSync(half));
  expect([200, 400]).toContain(await sendPacked(Buffer.concat(halves)));
  // A thousand bombs in a row: what they hold together counts.
  const bomb = gzipSync(Buffer.alloc(1024 * 1024));
  expect(await sendPacked(Buffer.concat(Array.from({ length: 1_000 }, () => bomb)))).toBe(413);
});

test('nothing of all this reached another organisation', async () => {
  expect(await countDecisions(others.token)).toBe(0);
  const span = buildToolSpan({ 'assay.organization': ada.organizationId });
  expect((await sendExport(app, others.key, buildExport(span))).status).toBe(200);
  expect(await countDecisions(others.token)).toBe(1);
});
