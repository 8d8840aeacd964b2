// The tenancy plugin on a real database: no operation without an organisation, and no change of the organisation.
import { Schema, type Model } from 'mongoose';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { connectMongo, type Mongo } from '../../src/platform/mongo/connection.ts';
import { findRawDocuments } from '../../src/platform/mongo/queries.ts';
import { guardTenancy, TenancyError } from '../../src/platform/mongo/tenancy.ts';
import { toObjectId } from '../setup/harness.ts';
import { createDatabaseUri } from '../setup/databases.ts';

const [mine, theirs] = [toObjectId('a'.repeat(24)), toObjectId('b'.repeat(24))];
interface Thing {
  organizationId: typeof mine;
  name: string;
}
let mongo: Mongo;
let things: Model<Thing>;
beforeAll(async () => {
  mongo = await connectMongo({ uri: createDatabaseUri(), poolSize: 5 });
  const schema = new Schema<Thing>({ name: String }, { autoIndex: false });
  schema.plugin(guardTenancy);
  things = mongo.connection.model<Thing>('Thing', schema);
});
afterAll(() => mongo.close());
beforeEach(async () => {
  await things.deleteMany({}, { crossTenant: true });
  await things.create([
    { organizationId: mine, name: 'x' },
    { organizationId: theirs, name: 'x' },
  ]);
});

type Where = Record<string, unknown>;
const operations: [string, (where: Where) => PromiseLike<unknown>][] = [
  ['find', (where) => things.find(where)],
  ['rawDocuments', async (where) => findRawDocuments(things, where, {}).toArray()],
  ['findOne', (where) => things.findOne(where)],
  ['exists', (where) => things.exists(where)],
  ['countDocuments', (where) => things.countDocuments(where)],
  ['distinct', (where) => things.distinct('name', where)],
  ['updateOne', (where) => things.updateOne(where, { name: 'y' })],
  ['updateMany', (where) => things.updateMany(where, { name: 'y' })],
  ['replaceOne', (where) => things.replaceOne(where, { organizationId: mine, name: 'y' })],
  ['deleteOne', (where) => things.deleteOne(where)],
  ['deleteMany', (where) => things.deleteMany(where)],
  ['findOneAndUpdate', (where) => things.findOneAndUpdate(where, { name: 'y' })],
  [
    'findOneAndReplace',
    (where) => things.findOneAndReplace(where, { organizationId: mine, name: 'y' }),
  ],
  ['findOneAndDelete', (where) => things.findOneAndDelete(where)],
  ['aggregate', (where) => things.aggregate([{ $match: where }])],
  [
    'bulkWrite updateOne',
    (filter) => things.bulkWrite([{ updateOne: { filter, update: { name: 'y' } } }]),
  ],
  ['bulkWrite deleteMany', (filter) => things.bulkWrite([{ deleteMany: { filter } }])],
];

test.each(operations)(
  '%s is refused without an organisation, and sees one organisation with it',
  async (_, run) => {
    for (const where of [
      { name: 'x' },
      {},
      { organizationId: undefined },
      { organizationId: null },
      { $or: [{ organizationId: mine }] },
    ])
      await expect(run(where)).rejects.toThrow(TenancyError);
    const untouched = await things.find({ organizationId: theirs }).lean();
    expect(untouched.map(({ name }) => name)).toEqual(['x']);
    await expect(run({ organizationId: mine, name: 'x' })).resolves.not.toThrow();
    expect(await things.countDocuments({ organizationId: theirs, name: 'x' })).toBe(1);
  },
);

test('queries by id alone, estimates, and aggregations with another first stage are refused', async () => {
  const one = await things.findOne({ organizationId: mine });
  await expect(things.findById(one?._id)).rejects.toThrow(TenancyError);
  await expect(things.findByIdAndUpdate(one?._id, { name: 'y' })).rejects.toThrow(TenancyError);
  await expect(things.findByIdAndDelete(one?._id)).rejects.toThrow(TenancyError);
  await expect(things.estimatedDocumentCount()).rejects.toThrow(TenancyError);
  await expect(
    things.aggregate([{ $sort: { name: 1 } }, { $match: { organizationId: mine } }]),
  ).rejects.toThrow(TenancyError);
  await expect(things.aggregate([])).rejects.toThrow(TenancyError);
});

test('no document is stored without an organisation or moved to another one', async () => {
  await expect(things.create([{ name: 'z' }])).rejects.toThrow(/organizationId/);
  await expect(things.insertMany([{ name: 'z' }])).rejects.toThrow(/organizationId/);
  await expect(
    things.bulkWrite([{ insertOne: { document: { name: 'z' } as Thing } }]),
  ).rejects.toThrow(TenancyError);
  await things.updateOne({ organizationId: mine }, { $set: { organizationId: theirs } });
  expect(await things.countDocuments({ organizationId: mine })).toBe(1);
});

test('a query across organisations requires the option', async () => {
  expect(await things.find({ name: 'x' }, null, { crossTenant: true })).toHaveLength(2);
  expect(await things.aggregate([{ $match: { name: 'x' } }], { crossTenant: true })).toHaveLength(
    2,
  );
  expect(await things.countDocuments({}, { crossTenant: true })).toBe(2);
});

test('a document that was read can be saved and removed', async () => {
  const one = await things.findOne({ organizationId: mine });
  if (!one) throw new Error('not found');
  one.name = 'saved';
  await one.save();
  expect(await things.countDocuments({ organizationId: mine, name: 'saved' })).toBe(1);
});
