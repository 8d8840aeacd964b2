// Runs the bare driver in its own process: single inserts, bulk inserts, and a list read and written as JSON.
import mongoose, { type mongo } from 'mongoose';
import { readBodies } from './decisions.ts';
import { createSummary, sendMessage, type DriverOrder } from './wire.ts';

const { MongoClient, ObjectId } = mongoose.mongo;
const IN_FLIGHT = 64;
const MANY = 64;
const PAGE = 200;
/** The members that a list of decisions needs. */
const LISTED = {
  view: 0,
  prevHash: 0,
  payloadDigest: 0,
  idempotencyKey: 0,
  usage: 0,
  'sealed.evaluation': 0,
  'sealed.origin': 0,
  'sealed.submitted': 0,
};

const decisions = readBodies().map((text) => JSON.parse(text) as object);
let made = 0;
const createDocument = (): object => ({ ...decisions[made++ % decisions.length], number: made });

interface Work {
  /** Operations of one call. */
  size: number;
  inFlight: number;
  call(): Promise<unknown>;
}

function createWork({ work, organizationId }: DriverOrder, client: mongo.MongoClient): Work {
  const collection: mongo.Collection = client.db().collection('bare');
  if (work === 'insertOne')
    return { size: 1, inFlight: IN_FLIGHT, call: () => collection.insertOne(createDocument()) };
  if (work === 'insertMany')
    return {
      size: MANY,
      inFlight: 1,
      call: () => collection.insertMany(Array.from({ length: MANY }, createDocument)),
    };
  const where = { organizationId: new ObjectId(organizationId), kind: 'trace', deletedAt: null };
  const ledger = client.db().collection('ledger');
  return {
    size: 1,
    inFlight: 1,
    call: async () =>
      JSON.stringify(
        await ledger
          .find(where, { projection: LISTED })
          .sort({ sequence: -1 })
          .limit(PAGE)
          .toArray(),
      ),
  };
}

async function runOrder(order: DriverOrder): Promise<void> {
  const client = await MongoClient.connect(order.uri, {
    writeConcern: { w: 'majority' },
    maxPoolSize: IN_FLIGHT,
  });
  const { size, inFlight, call } = createWork(order, client);
  const latencies: number[] = [];
  const started = performance.now();
  const begin = started + order.warmUp * 1000;
  const end = begin + order.seconds * 1000;
  setTimeout(() => sendMessage({ kind: 'measuring' }), order.warmUp * 1000);
  const runLane = async (): Promise<void> => {
    for (let at = performance.now(); at < end; at = performance.now()) {
      await call();
      const now = performance.now();
      if (now >= begin && now < end) for (let i = 0; i < size; i++) latencies.push(now - at);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, runLane));
  sendMessage({ kind: 'measured', measured: createSummary(latencies, order.seconds) });
  await client.close();
}

process.on('message', (order: DriverOrder) => void runOrder(order));
process.on('disconnect', () => process.exit());
sendMessage({ kind: 'ready' });
