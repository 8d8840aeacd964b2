// What is stored of a log may be altered: its routes then say that it is not what was sealed, and never fail.
// @module-tag varied
import type { mongo } from 'mongoose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useFixture, useHarness, useOwner } from '../../../setup/fixtures.ts';
import { toObjectId } from '../../../setup/harness.ts';
import { assertOk } from '../../../setup/personas.ts';
import { chooseRuns } from '../../../setup/runs.ts';
import { holdJobs, postDecisions, SEALED_AT_ONCE, sealAll } from '../log-steps.ts';
import { keepStore } from './rewriting.ts';

const harness = useHarness({ ...SEALED_AT_ONCE, ASSAY_LOG_PUBLIC: 'on' });
const ada = useOwner(harness);
const ENTRIES = 600;
beforeAll(() => holdJobs(harness, 'log.seal'));

const get = (path: string) => harness.app.call('GET', path, { token: ada.token });

/** Every address that reads what is stored of logs. */
const stored = useFixture(async () => {
  const answers = await postDecisions(harness.app, ada, ENTRIES);
  const { traceId } = answers[300]!.body.data;
  await sealAll(harness.app);
  const chain = '/api/v1/hash-chain';
  const audit = '/api/v1/audit';
  const at = `${chain}/anchors/${assertOk(await get(`${chain}/anchors?limit=1`)).body.data[0].anchorId}`;
  const [ofAudit] = assertOk(await get(`${audit}/anchors?limit=1`)).body.data;
  const log = await harness.db
    .collection<{ _id: string }>('logs')
    .findOne({ organizationId: toObjectId(ada.organizationId), chain: 'ledger' });
  const proofs = [
    `${at}/proof?sequence=300`,
    `${at}/tlog-proof?sequence=300`,
    `${at}/receipt?sequence=300`,
    `${at}/statement?sequence=300`,
    `${chain}/entry/${traceId}`,
  ];
  const others = [
    `${at}/tlog-proof`,
    `${at}/tlog-proof?head=stamped`,
    `${at}/stamp`,
    `${audit}/anchors/${ofAudit.anchorId}/tlog-proof`,
    `${audit}/anchors/${ofAudit.anchorId}/tlog-proof?sequence=1`,
    `${audit}/anchors`,
    `${audit}/heads`,
    `${chain}/anchors`,
    `${chain}/heads`,
    `${chain}/status`,
    `${chain}/entries`,
    '/.well-known/assay-log',
  ];
  const ids = [log!._id, 'heads'];
  const open = ids.flatMap((id) =>
    [
      'checkpoint',
      'tile/0/000',
      'tile/0/001',
      'tile/0/002.p/1',
      'tile/1/000.p/1',
      'tile/entries/000',
    ].map((path) => `/log/${id}/${path}`),
  );
  return { logId: log!._id, proofs, addresses: [...proofs, ...others, ...open] };
});

/** Puts other documents in the place of one while some work is done. */
async function withAltered<T>(
  { collection, filter }: Place,
  change: mongo.Document | null,
  work: () => Promise<T>,
): Promise<T> {
  const rows = harness.db.collection(collection);
  const kept = (await rows.findOne(filter))!;
  await (change ? rows.updateOne(filter, change) : rows.deleteOne(filter));
  try {
    return await work();
  } finally {
    await rows.replaceOne({ _id: kept._id }, kept, { upsert: true });
  }
}

interface Place {
  collection: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- ids of logs are texts
  filter: any;
}

const askAll = (paths: readonly string[]) =>
  Promise.all(
    paths.map(async (path) => {
      // A file whose end cannot be written is cut off.
      const cut = { status: 0, body: null };
      const { status, body } = await get(path).catch(() => cut);
      return { path, status, code: body?.code };
    }),
  );

// Tiles that were read are remembered, so this comes first.
it('a tile that is missing, short or another one is not what was sealed', async () => {
  const place = { collection: 'log_tiles', filter: { logId: stored.logId, level: 0, index: 1 } };
  const forms = [null, { $set: { hashes: 'x' } }, { $set: { hashes: Buffer.alloc(31) } }];
  for (const form of [...forms, { $set: { hashes: Buffer.alloc(8192) } }])
    for (const { path, ...found } of await withAltered(place, form, () => askAll(stored.proofs)))
      expect(found, path).toEqual({ status: 409, code: 'HASH_CHAIN_BROKEN' });
});

const MEMBERS: Record<string, readonly string[]> = {
  logs: 'chain generation origin createdAt size root head headId sealedAt levels witnessedSize stampedSize stampedAt frozen'.split(
    ' ',
  ),
  log_heads: 'logId size root note at headsIndex cosignatures stamp'.split(' '),
  heads_leaves: ['data', 'headId'],
};
/** What Node.js warns of, such as listeners that add up on an answer that is cut off. */
const warnings: Error[] = [];
const noteWarning = (warning: Error): void => void warnings.push(warning);
beforeAll(() => void process.on('warning', noteWarning));
afterAll(() => void process.off('warning', noteWarning));

const VALUES = [null, 7, -1, Number.NaN, 1e300, 'x', [], {}, [7]];

it('whatever is altered in what is stored of a log, no route fails', async () => {
  const { logId } = stored;
  const head = await harness.db.collection('log_heads').findOne({ logId });
  const rows: Place[] = [logId, 'heads'].flatMap((id) => [
    { collection: 'logs', filter: { _id: id } },
    { collection: 'log_heads', filter: { logId: id } },
  ]);
  rows.push({ collection: 'heads_leaves', filter: { _id: head!.headsIndex } });
  const changes = rows.flatMap((place) => [
    { place, change: null },
    ...MEMBERS[place.collection]!.flatMap((name) => [
      { place, change: { $unset: { [name]: '' } } },
      ...VALUES.map((value) => ({ place, change: { $set: { [name]: value } } })),
    ]),
  ]);
  const failed: string[] = [];
  const putBack = await keepStore(harness);
  for (const { place, change } of changes.filter((_, at) => at % chooseRuns(60, 1) === 0)) {
    const found = await withAltered(place, change, () => askAll(stored.addresses));
    const what = `${JSON.stringify(place)} ${JSON.stringify(change)}`;
    for (const { path, status } of found)
      if (status >= 500) failed.push(`${what}: ${path} ${status}`);
  }
  expect(failed).toEqual([]);
  expect(warnings).toEqual([]);
  await putBack();
  for (const { path, status } of await askAll(stored.proofs)) expect(status, path).toBe(200);
}, 300_000);
