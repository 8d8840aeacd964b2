// Odd spans over HTTP: each is recorded or counted, and the answer names what could not be read.
import { expect, test } from 'vitest';
import { useHarness } from '../../setup/fixtures.ts';
import { buildGoodSpan, buildOddSpan, frameSpans, oddSpans } from '../../setup/otlp/odd-spans.ts';
import { encodeSpan, wrapBytes, wrapSpans } from '../../setup/otlp/protobuf.ts';
import { assertOk, createOwner, createWorkspaceKey } from '../../setup/personas.ts';
import { PROTOBUF } from './sending.ts';

const { app } = useHarness();

test('over HTTP, each is recorded or counted', { tags: ['long'] }, async () => {
  const ada = await createOwner(app);
  const { key } = await createWorkspaceKey(app, ada);
  const short = oddSpans.filter(([, span]) => span.length < 400_000);
  const long = oddSpans.filter(([, span]) => span.length >= 400_000);
  for (const some of [short, ...long.map((one) => [one])]) {
    const raw = frameSpans(some.map(([, span]) => span)).toString();
    const answer = await app.call('POST', '/v1/traces', { key, raw });
    expect(answer.status).toBe(200);
  }
  const count = async (agent: string): Promise<number> => {
    const path = `/api/v1/traces?agentId=${agent}`;
    return assertOk(await app.call('GET', path, { token: ada.token })).body.total;
  };
  expect(await count('good')).toBe(2 * (1 + long.length));
  expect(await count('odd')).toBe(oddSpans.filter(([, , isRecorded]) => isRecorded).length);
});

test('in protobuf, broken resources and scopes are counted, and the answer names them', async () => {
  const ada = await createOwner(app);
  const { key } = await createWorkspaceKey(app, ada);
  const broken = [
    wrapBytes(1, Buffer.from([0x12, 99])),
    wrapBytes(1, wrapBytes(2, Buffer.from([0x12, 99]))),
  ];
  const raw = Buffer.concat([
    ...broken,
    wrapSpans(encodeSpan(buildGoodSpan()), encodeSpan(buildOddSpan()).subarray(0, 60)),
  ]);
  const headers = { 'content-type': PROTOBUF };
  const answer = await app.call('POST', '/v1/traces', { key, raw, headers });
  expect(answer.status).toBe(200);
  expect(answer.text).toContain('3: a span that cannot be read');
  const { total } = (await app.call('GET', '/api/v1/traces', { token: ada.token })).body;
  expect(total).toBe(1);
});
