// Any odd value in any stored column of chains and logs is a finding of the verification, and never a failure of it.
// @module-tag varied
import { mongo } from 'mongoose';
import { beforeAll, expect, it } from 'vitest';
import { toObjectId } from '../../../setup/harness.ts';
import { useHarness, useOwner } from '../../../setup/fixtures.ts';
import { assertOk } from '../../../setup/personas.ts';
import { chooseRuns } from '../../../setup/runs.ts';
import { holdJobs, postDecisions, SEALED_AT_ONCE, sealAll } from '../../log/log-steps.ts';
import { checkHeads } from '../../../../src/evidence/log/signing/heads-check.service.ts';

const harness = useHarness(SEALED_AT_ONCE);
const ada = useOwner(harness);
const MISSING = Symbol('missing');

const ODD: readonly (readonly [name: string, value: unknown])[] = [
  ['null', null],
  ['missing', MISSING],
  ['an empty text', ''],
  ['a huge text', 'x'.repeat(1_000_000)],
  ['a text with NUL and a lone surrogate', 'a\u0000\ud800'],
  ['-1', -1],
  ['0', 0],
  ['a fraction', 0.5],
  ['NaN', Number.NaN],
  ['infinity', Number.POSITIVE_INFINITY],
  ['2^53', mongo.Long.fromString('9007199254740993')],
  ['a decimal', mongo.Decimal128.fromString('1E+6000')],
  ['true', true],
  ['a date', new Date(0)],
  ['the end of all dates', new Date(8_640_000_000_000_000)],
  ['a list', [null, {}]],
  ['an object that is no text', { toString: 1, valueOf: 1, equals: 1 }],
  ['bytes', Buffer.from('odd')],
  ['an id', new mongo.ObjectId()],
  ['a pattern', new mongo.BSONRegExp('(a+)+$', '')],
  ['a key of all', new mongo.MaxKey()],
];

/** What `/verify` does not cover, as evidence.md says. */
const UNCOVERED: Readonly<Record<string, readonly string[]>> = {
  logs: [
    'createdAt',
    'sealedAt',
    'witnessedSize',
    'stampedSize',
    'stampedAt',
    'frozen',
    'chain',
    'generation',
  ],
  log_heads: ['at', 'stamp'],
  // A note that is gone is one less: the signed heads say how far the chain reached.
  heads_ledger: ['at', 'organizationId'],
  cursors: ['consumer', 'sequence', 'organizationId', 'at', 'heldAt', 'holder', 'until'],
  ledger: ['idempotencyKey', 'review'],
};

interface Row {
  collection: string;
  row: mongo.Document;
}
let rows: Row[];

beforeAll(async () => {
  await holdJobs(harness, 'log.seal');
  await postDecisions(harness.app, ada, 300);
  await sealAll(harness.app);
  await harness.app.instance.runJobsOnce();
  const { db } = harness;
  const organizationId = toObjectId(ada.organizationId);
  const log = (await db.collection('logs').findOne({ organizationId, chain: 'ledger' }))!;
  const ofLog = { organizationId, logId: String(log._id) };
  const head = (await db.collection('log_heads').findOne(ofLog, { sort: { size: -1 } }))!;
  const find = async (collection: string, where: object) => {
    const row = await db.collection(collection).findOne(where);
    return row ? [{ collection, row }] : [];
  };
  rows = [
    { collection: 'logs', row: log },
    { collection: 'log_heads', row: head },
    ...(await find('log_tiles', ofLog)),
    ...(await find('heads_leaves', { _id: head['headsIndex'] })),
    ...(await find('heads_ledger', { organizationId })),
    ...(await find('ledger', { organizationId, sequence: 7 })),
    ...(await find('cursors', { organizationId })),
    ...(await find('chain_verifications', { organizationId })),
  ];
});

/** Nothing changes where a column holds the value already. */
function isSame(stored: unknown, value: unknown): boolean {
  return stored === value || ((stored ?? null) === null && (value === null || value === MISSING));
}

const verify = () => harness.app.call('POST', '/api/v1/hash-chain/verify', { token: ada.token });

interface OddColumn {
  column: string;
  value: unknown;
}

/** Works with one column changed, and undoes the change. */
async function withColumn<T>(
  { collection, row }: Row,
  { column, value }: OddColumn,
  work: () => Promise<T>,
): Promise<T> {
  const stored = harness.db.collection(collection);
  const where = { _id: row['_id'] };
  const change = value === MISSING ? { $unset: { [column]: '' } } : { $set: { [column]: value } };
  await stored.updateOne(where, change, { ignoreUndefined: true });
  try {
    return await work();
  } finally {
    await stored.replaceOne(where, row);
  }
}

/** Every odd value in every column of the rows. */
const listCases = (all: readonly Row[]) =>
  all.flatMap((one) =>
    Object.keys(one.row)
      .filter((column) => column !== '_id')
      .flatMap((column) => ODD.map(([name, value]) => ({ one, column, name, value })))
      .filter(({ column, value }) => !isSame(one.row[column], value)),
  );

/** No step divides the number of odd values, so that each column meets several of them. */
const takeShare = <T>(cases: readonly T[]): T[] =>
  cases.filter((_, at) => at % chooseRuns(97, 13) === 0);

it(
  'of decisions, logs, checkpoints, tiles, leaves and notes',
  { tags: ['long'], timeout: 900_000 },
  async () => {
    assertOk(await verify());
    expect(rows.map(({ collection }) => collection)).toEqual(
      expect.arrayContaining(['logs', 'log_heads', 'log_tiles', 'heads_leaves', 'ledger']),
    );
    const silent: string[] = [];
    for (const { one, column, name, value } of takeShare(listCases(rows))) {
      const answer = await withColumn(one, { column, value }, verify);
      const what = `${one.collection}.${column}: ${name}`;
      expect(answer.status, `${what}: ${answer.text.slice(0, 200)}`).toBe(200);
      const isUncovered = UNCOVERED[one.collection]?.includes(column) ?? false;
      if (answer.body.data.verified && !isUncovered) silent.push(what);
    }
    expect(silent).toEqual([]);
    expect(assertOk(await verify()).body.data).toMatchObject({ verified: true });
  },
);

it('of the audit log and of the heads log', { tags: ['long'], timeout: 900_000 }, async () => {
  const { db, instance } = { db: harness.db, instance: harness.app.instance };
  const organizationId = toObjectId(ada.organizationId);
  const find = async (collection: string, where: object): Promise<Row> => ({
    collection,
    row: (await db.collection(collection).findOne(where, { sort: { size: -1 } }))!,
  });
  const auditLog = await find('logs', { organizationId, chain: 'audit' });
  const headsLog = await find('logs', { chain: 'heads' });
  const { _id: auditId } = auditLog.row;
  const readAudit = async () => {
    const answer = await harness.app.call('GET', '/api/v1/audit/verify', { token: ada.token });
    return assertOk(answer).body.data.verified as boolean;
  };
  const readHeads = async () => (await checkHeads(instance.platform)) === null;
  const checked: [Row, () => Promise<boolean>][] = [
    [auditLog, readAudit],
    [await find('log_heads', { organizationId, logId: String(auditId) }), readAudit],
    [await find('audit_entries', { organizationId, sequence: 2 }), readAudit],
    [headsLog, readHeads],
    [await find('log_heads', { logId: String(headsLog.row['_id']) }), readHeads],
    [await find('heads_leaves', {}), readHeads],
  ];
  expect([await readAudit(), await readHeads()]).toEqual([true, true]);
  const cases = checked.flatMap(([one, isIntact]) =>
    listCases([one]).map((part) => ({ ...part, isIntact })),
  );
  const silent: string[] = [];
  for (const { one, column, name, value, isIntact } of takeShare(cases)) {
    const isUncovered = UNCOVERED[one.collection]?.includes(column) ?? false;
    const what = `${one.collection}.${column}: ${name}`;
    if ((await withColumn(one, { column, value }, isIntact)) && !isUncovered) silent.push(what);
  }
  // The heads log does not say where its leaves come from: the logs do.
  expect(silent.filter((what) => !what.startsWith('heads_leaves.headId'))).toEqual([]);
});
