// The back-off after a conflict: who waits, until when, and what ends a wait.
import { expect, test } from 'vitest';
import { DECISIONS } from '../../../src/ledger/chains.ts';
import type { Stored } from '../../../src/ledger/entry.ts';
import { AppendQueue } from '../../../src/ledger/append/append-queue.ts';
import { ContentionBackoff, yieldTurn } from '../../../src/ledger/append/contention.ts';
import { createMongoStore } from '../../../src/ledger/append/mongo-store.ts';
import type { LedgerStore } from '../../../src/ledger/append/store.ts';
import { systemTimer } from '../../../src/platform/concurrency/timer.ts';
import { generateId } from '../../../src/platform/ids.ts';
import { checkChain } from '../invariants.ts';
import { draft, hastyTimer, RealChain } from '../store/real-chain.ts';

const chain = new RealChain('contention');
const CONFLICT = 50_000;

function createWinner(): ContentionBackoff {
  const backoff = new ContentionBackoff();
  backoff.noteConflict(CONFLICT);
  backoff.noteBatch(true);
  return backoff;
}

test('a win is followed by one wait, within a second of the conflict', () => {
  const backoff = createWinner();
  expect([1, 2].map(() => backoff.takeWait(CONFLICT))).toEqual([true, false]);
  backoff.noteBatch(true);
  expect(backoff.takeWait(CONFLICT + 999)).toBe(true);
  backoff.noteBatch(true);
  expect(backoff.takeWait(CONFLICT + 1_000)).toBe(false);
});

test('an instance does not wait that met no conflict, or did not win after it', () => {
  const undisturbed = new ContentionBackoff();
  expect(undisturbed.takeWait(0)).toBe(false);
  undisturbed.noteBatch(true);
  expect(undisturbed.takeWait(0)).toBe(false);
  undisturbed.noteConflict(CONFLICT);
  expect(undisturbed.takeWait(CONFLICT)).toBe(false);
  undisturbed.noteBatch(false);
  expect(undisturbed.takeWait(CONFLICT)).toBe(false);
});

test('three waits in a row without an append of another close the window', () => {
  const endsWindow = (waits: boolean[], backoff = createWinner()) => {
    for (const isFruitful of waits) backoff.noteWait(isFruitful);
    return !backoff.takeWait(CONFLICT);
  };
  expect(endsWindow([false, false])).toBe(false);
  expect(endsWindow([false, false, true, false, false])).toBe(false);
  expect(endsWindow([false, true, false, false, false])).toBe(true);
  const closed = createWinner();
  expect(endsWindow([false, false, false], closed)).toBe(true);
  closed.noteConflict(CONFLICT);
  closed.noteBatch(true);
  expect(endsWindow([false, false], closed)).toBe(false);
});

/** Waits for another instance, whose entries each read shows; a read takes `readMs`. */
async function waitTurn(shown: (number | Error)[], readMs = 1) {
  const queue = new AppendQueue(generateId());
  const readHead = (sequence: number) => ({ sequence, chainHash: `of ${sequence}` }) as Stored;
  queue.acceptHead(readHead(3));
  queue.contention.noteConflict(CONFLICT);
  queue.contention.noteBatch(true);
  let now = CONFLICT;
  let reads = 0;
  const store = {
    readNewest: async () => {
      now += readMs;
      const read = shown[reads++] ?? 3;
      return typeof read === 'number' ? readHead(read) : Promise.reject(read);
    },
  } as unknown as LedgerStore;
  await yieldTurn(queue, { store, clock: { now: () => new Date(now) }, timer: hastyTimer });
  return { queue, reads, head: queue.head?.sequence };
}

test('a turn is yielded until another instance has appended, for two reads or 25 ms at most', async () => {
  expect(await waitTurn([4])).toMatchObject({ reads: 1, head: 4 });
  expect(await waitTurn([3, 4])).toMatchObject({ reads: 2, head: 4 });
  expect(await waitTurn([3, 3, 4])).toMatchObject({ reads: 2, head: 3 });
  expect(await waitTurn([3, 4], 24)).toMatchObject({ reads: 2, head: 4 });
  expect(await waitTurn([3, 4], 25)).toMatchObject({ reads: 1, head: 3 });
  expect(await waitTurn([new Error('no answer'), 4])).toMatchObject({ reads: 2, head: 4 });
});

test('a wait counts as fruitless only where no other instance appended', async () => {
  const hasWindow = (queue: AppendQueue) => {
    queue.contention.noteWait(false);
    queue.contention.noteWait(false);
    queue.contention.noteBatch(true);
    return queue.contention.takeWait(CONFLICT);
  };
  expect(hasWindow((await waitTurn([4])).queue)).toBe(true);
  expect(hasWindow((await waitTurn([3])).queue)).toBe(false);
});

test('after a conflict an instance reads whether another appends, before it appends again', async () => {
  const organizationId = generateId();
  const store = createMongoStore({ db: chain.db, chain: DECISIONS, timer: systemTimer });
  let reads = 0;
  const counted: LedgerStore = Object.assign({}, store, {
    readNewest: (id: Parameters<LedgerStore['readNewest']>[0]) => {
      reads++;
      return store.readNewest(id);
    },
  });
  // The clock stands still: the second after the conflict does not pass.
  const clock = { now: () => new Date(1_900_000_000_000) };
  const { appender } = chain.start({ store: counted, clock });
  const countReads = async () => {
    const before = reads;
    await appender.append(draft(organizationId));
    return reads - before;
  };
  await countReads();
  expect(await countReads()).toBe(0);
  await chain.start({ clock }).appender.append(draft(organizationId));
  await countReads();
  expect([await countReads(), await countReads()]).toEqual([2, 2]);
  checkChain(await chain.entries(organizationId));
});
