// Values damaged in the database: exports omit and report them, and nothing is signed.
// @module-tag long
import { mongo } from 'mongoose';
import { beforeAll, expect, test } from 'vitest';
import { verifyBundle } from '@assay/verifier';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { toObjectId } from '../../setup/harness.ts';
import { createWorkspaceKey, buildDecision, assertOk } from '../../setup/personas.ts';

const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
const PLACE = 2;
let intact: mongo.Document;

const entries = () => harness.db.collection('ledger');
const where = () => ({ organizationId: toObjectId(ada.organizationId), sequence: PLACE });

beforeAll(async () => {
  const { key } = await createWorkspaceKey(app, ada);
  for (let made = 0; made < 3; made++)
    assertOk(await app.call('POST', '/api/v1/traces', { key, body: buildDecision('x') }));
  intact = (await entries().findOne(where())) as mongo.Document;
});

interface Line {
  sequence: number;
  disclosures: string[];
}

async function* linesOf(text: string): AsyncGenerator<string> {
  for (const line of text.replace(/\n$/, '').split('\n')) yield await Promise.resolve(line);
}

const flipped = ({ buffer }: mongo.Binary): mongo.Binary => {
  const bytes = Buffer.from(buffer);
  bytes.writeUInt8(bytes.readUInt8(40) ^ 1, 40);
  return new mongo.Binary(bytes);
};
const inClear = (text: string): object => ({ rationale: { seed: 'x'.repeat(22), text } });

/** Ways to damage what is kept of an entry's values; its links stay as they are. */
const DAMAGES: readonly [name: string, change: (entry: mongo.Document) => mongo.Document][] = [
  ['a bit of the contents', (entry) => ({ content: flipped(entry['content']) })],
  ['no contents any more', () => ({ content: null })],
  ['contents as text', () => ({ content: 'none' })],
  ['contents of nothing', () => ({ content: new mongo.Binary(Buffer.alloc(0)) })],
  ['a text that is no JSON', ({ sealed }) => ({ sealed: { ...sealed, ...inClear('"{') } })],
  ['another text', ({ sealed }) => ({ sealed: { ...sealed, ...inClear('"Other."') } })],
  ['a number for a value', ({ sealed }) => ({ sealed: { ...sealed, rationale: 7 } })],
  ['a value of lists', ({ sealed }) => ({ sealed: { ...sealed, rationale: [[]] } })],
  ['values as text', () => ({ sealed: 'none' })],
  ['values as a list', () => ({ sealed: [1, 2] })],
  ['another generation of keys', () => ({ generation: 3 })],
  ['a generation that is none', () => ({ generation: 'x' })],
  ['a payload without commitments', () => ({ view: '{"v":1}' })],
  ['a payload of another type', () => ({ view: 5 })],
  ['a time as text', () => ({ createdAt: 'yesterday' })],
  ['a time that is none', () => ({ createdAt: null })],
  ['hashes of another type', () => ({ chainHash: 5, prevHash: null })],
];

test.each(DAMAGES)('%s', async (_name, change) => {
  await entries().replaceOne({ _id: intact['_id'] }, { ...intact, ...change(intact) });
  try {
    const names = 'rationale,inputContext,outputDecision';
    const path = `/api/v1/hash-chain/bundle?fromSequence=1&disclose=${names}`;
    const { text } = assertOk(await app.call('GET', path, { token: ada.token }));
    const lines = text.split('\n').slice(1, 4);
    const isShown = lines.map((line) => !line.includes('"disclosures":[]'));
    expect([isShown[0], isShown[2]]).toEqual([true, true]);
    const report = await verifyBundle(linesOf(text), { pins: [] });
    expect(report.verdict).not.toBe('intact');
    const verified = assertOk(
      await app.call('POST', '/api/v1/hash-chain/verify', { token: ada.token }),
    );
    expect(verified.body.data).toMatchObject({ verified: false, brokenAtSequence: PLACE });
    const body = { from: '2020-01-01', to: '2100-01-01' };
    const signed = await app.call('POST', '/api/v1/audit-bundles', { token: ada.token, body });
    expect(signed.status).toBe(409);
    expect(signed.body).toMatchObject({
      code: 'HASH_CHAIN_BROKEN',
      data: { brokenAtSequence: PLACE },
    });
  } finally {
    await entries().replaceOne({ _id: intact['_id'] }, intact);
  }
});

test('a bundle says which entries it holds without their values', async () => {
  await entries().updateOne(where(), { $set: { content: flipped(intact['content']) } });
  const path = '/api/v1/hash-chain/bundle?fromSequence=1&disclose=inputContext';
  const { text } = assertOk(await app.call('GET', path, { token: ada.token }));
  const bundle = JSON.parse(text) as { recipe: string[]; entries: Line[] };
  expect(bundle.recipe.at(-1)).toMatch(/^Damaged: .*: 2\. Verify/);
  expect(bundle.entries.map(({ disclosures }) => disclosures.length > 0)).toEqual([
    true,
    false,
    true,
  ]);
  const { verdict, problems } = await verifyBundle(linesOf(text), { pins: [] });
  expect(verdict).toBe('cannot tell');
  expect(problems.map(({ code }) => code)).toEqual(['not-vouched']);
  await entries().replaceOne({ _id: intact['_id'] }, intact);
});

test('a period is signed if the chain is broken only after it', async () => {
  const sealed = intact['createdAt'] as Date;
  const body = { from: '2020-01-01', to: sealed.toISOString() };
  const last = { ...where(), sequence: 3 };
  const third = (await entries().findOne(last)) as mongo.Document;
  const made = await app.call('POST', '/api/v1/audit-bundles', { token: ada.token, body });
  expect(made.status).toBe(201);
  expect(made.body.data._id).toBe(made.body.data.id);
  await entries().updateOne(last, { $set: { content: flipped(third['content']) } });
  const { lastSequence } = made.body.data;
  const again = await app.call('POST', '/api/v1/audit-bundles', { token: ada.token, body });
  expect(again.status).toBe(lastSequence < 3 ? 201 : 409);
  await entries().replaceOne({ _id: third['_id'] }, third);
});
