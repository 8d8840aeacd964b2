// The idempotency cache: keeps used keys within its bound, and answers with what is stored now.
import { expect, test } from 'vitest';
import { IdempotencyCache } from '../../../src/ledger/append/idempotency-cache.ts';
import { toKeyText } from '../../../src/ledger/append/idempotent-replays.ts';
import type { Draft, Outcome, Stored } from '../../../src/ledger/entry.ts';
import { generateId } from '../../../src/platform/ids.ts';
import { draft } from '../store/real-chain.ts';

const organizationId = generateId();
const key = (number: number): Buffer => Buffer.alloc(16, number);
const give = (number: number): Draft => draft(organizationId, { idempotencyKey: key(number) });

/** A cache over a store of one entry, which a test replaces. */
function openCache(keys?: number) {
  const store = { entry: null as object | null, appended: 0, read: 0 };
  const append = (): Promise<Outcome> => {
    store.appended += 1;
    return Promise.resolve({ kind: 'sealed', entry: {} as Stored });
  };
  const findReplays = (_: string, asked: readonly (Buffer | string)[]) => {
    store.read += 1;
    const entry = store.entry as Stored | null;
    return Promise.resolve(new Map(entry ? asked.map((one) => [toKeyText(one), entry]) : []));
  };
  const cache = new IdempotencyCache({ append, findReplays, ...(keys !== undefined && { keys }) });
  return { cache, store };
}

test('a new key is appended unread, and a used one is answered with the entry as it is now', async () => {
  const { cache, store } = openCache();
  expect(await cache.append(give(1))).toMatchObject({ kind: 'sealed' });
  expect(store).toMatchObject({ appended: 1, read: 0 });
  for (const entry of [{ answer: 'first' }, { deletedAt: 'erased' }]) {
    store.entry = entry;
    expect(await cache.append(give(1))).toEqual({ kind: 'repeated', entry });
  }
  expect(store).toMatchObject({ appended: 1, read: 2 });
});

test('a key that has expired is appended again', async () => {
  const { cache, store } = openCache();
  await cache.append(give(1));
  expect(await cache.append(give(1))).toMatchObject({ kind: 'sealed' });
  expect(store).toMatchObject({ appended: 2, read: 1 });
});

test('of equal requests at a time one is appended', async () => {
  const { cache, store } = openCache();
  store.entry = { answer: 'first' };
  const outcomes = await Promise.all(Array.from({ length: 5 }, () => cache.append(give(1))));
  expect(outcomes.map(({ kind }) => kind)).toEqual(['sealed', ...Array(4).fill('repeated')]);
  expect(store.appended).toBe(1);
});

test('used keys that are asked for in one turn are read together', async () => {
  const { cache, store } = openCache();
  const numbers = Array.from({ length: 100 }, (_, number) => number);
  const appendAll = () => Promise.all(numbers.map((number) => cache.append(give(number))));
  await appendAll();
  store.entry = { answer: 'first' };
  expect(await appendAll()).toEqual(numbers.map(() => ({ kind: 'repeated', entry: store.entry })));
  expect(store).toMatchObject({ appended: 100, read: 1 });
  await appendAll();
  expect(store.read).toBe(2);
});

test('a failed append leaves its key unused', async () => {
  const failing = new IdempotencyCache({
    append: () => Promise.reject(new Error('away')),
    findReplays: () => Promise.reject(new Error('unread')),
  });
  for (let n = 0; n < 2; n++) await expect(failing.append(give(1))).rejects.toThrow('away');
  expect(failing.size).toBe(0);
});

test('the number of keys is bounded, and the oldest are forgotten first', async () => {
  const { cache, store } = openCache(10);
  for (let number = 0; number < 50; number++) await cache.append(give(number));
  expect(cache.size).toBe(10);
  await cache.append(give(49));
  expect(store.read).toBe(1);
  await cache.append(give(0));
  expect(store).toMatchObject({ read: 1, appended: 52 });
});
