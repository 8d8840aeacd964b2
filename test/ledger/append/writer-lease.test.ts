// Workers of one port write to a chain under a lease: no stale head is built on, and none waits for a lost lease.
import { expect, test } from 'vitest';
import { DECISIONS } from '../../../src/ledger/chains.ts';
import type { LedgerStore } from '../../../src/ledger/append/store.ts';
import { createMongoStore } from '../../../src/ledger/append/mongo-store.ts';
import { systemTimer } from '../../../src/platform/concurrency/timer.ts';
import { generateId } from '../../../src/platform/ids.ts';
import { type KeyLeaseProvider, KeyLeases } from '../../../src/platform/shared/key-leases.ts';
import { draft, RealChain } from '../store/real-chain.ts';

const chain = new RealChain('writer-lease');

const WORKERS = 3;

/** Resolves for all callers once as many as there are workers have come; later callers pass. */
function createMeeting(): () => Promise<void> {
  let come = 0;
  let begin = (): void => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  return () => {
    come += 1;
    if (come === WORKERS) begin();
    return begun;
  };
}

/**
 * Appends by several workers at once; returns the outcomes of their inserts. `meet` is awaited before each insert, when
 * the worker has built on a head.
 */
async function written(
  keyLeases: KeyLeaseProvider | undefined,
  each: number,
  meet = (): Promise<void> => Promise.resolve(),
) {
  const organizationId = generateId();
  const outcomes: string[] = [];
  const workers = Array.from({ length: WORKERS }, () => {
    const store = createMongoStore({ db: chain.db, chain: DECISIONS, timer: systemTimer });
    const { insertOrdered: insert } = store;
    const insertOrdered: LedgerStore['insertOrdered'] = async (documents) => {
      await meet();
      const outcome = await insert(documents);
      outcomes.push(outcome.kind);
      return outcome;
    };
    return chain.start({ store: Object.assign(store, { insertOrdered }), keyLeases }).appender;
  });
  const oneByOne = async (worker: (typeof workers)[number]): Promise<void> => {
    for (let count = 0; count < each; count++) await worker.append(draft(organizationId));
  };
  await Promise.all(workers.map(oneByOne));
  const sequences = (await chain.entries(organizationId)).map(({ sequence }) => sequence);
  return { organizationId, outcomes, sequences };
}

const upTo = (length: number): number[] => Array.from({ length }, (_, index) => index + 1);

test(
  'inserts never conflict with the lease, and conflict without it when they meet',
  { tags: ['long'] },
  async () => {
    const leased = await written(new KeyLeases(), 20);
    expect(leased.sequences).toEqual(upTo(60));
    expect(new Set(leased.outcomes)).toEqual(new Set(['ok']));
    const without = await written(undefined, 20, createMeeting());
    expect(without.sequences).toEqual(upTo(60));
    expect(without.outcomes).toContain('conflict');
  },
);

test('an append proceeds without a late lease, which is passed on when it arrives', async () => {
  const keyLeases = new KeyLeases();
  let isGiven = (): void => undefined;
  const late = new Promise<void>((resolve) => (isGiven = resolve));
  const slow: KeyLeaseProvider = { acquire: (key) => late.then(() => keyLeases.acquire(key)) };
  const { organizationId, sequences } = await written(slow, 1);
  expect(sequences).toEqual(upTo(3));
  isGiven();
  await late;
  expect(await keyLeases.acquire(organizationId)).toMatchObject({ payload: null });
});

test('appends proceed when the lease holder has died', async () => {
  const gone: KeyLeaseProvider = { acquire: () => Promise.reject(new Error('gone')) };
  const { sequences } = await written(gone, 3);
  expect(sequences).toEqual(upTo(9));
});
