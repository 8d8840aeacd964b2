// The idempotency cache: keeps only what an answer needs, within its bound in bytes.
import { expect, test } from 'vitest';
import { IdempotencyCache } from '../../../src/ledger/append/idempotency-cache.ts';
import { DECISIONS } from '../../../src/ledger/chains.ts';
import type { Draft, Stored } from '../../../src/ledger/entry.ts';
import { toObjectId } from '../../../src/ledger/ledger.model.ts';
import { generateId } from '../../../src/platform/ids.ts';
import { draft } from '../store/real-chain.ts';

const organizationId = generateId();
const key = (number: number): Buffer => Buffer.alloc(16, number);
const large = 'x'.repeat(1_000_000);

/** The entry of a decision of one megabyte. */
function stored({ idempotencyKey }: Draft): Stored {
  return {
    _id: toObjectId(generateId()),
    organizationId: toObjectId(organizationId),
    sequence: 1,
    kind: 'trace',
    traceId: 'trc_1',
    prevHash: '',
    payloadDigest: '',
    chainHash: 'c',
    createdAt: new Date(),
    view: large,
    usage: { month: '2026-01', count: 1 },
    idempotencyKey,
    agentId: 'bot',
    verdict: 'approved',
    tags: ['A'],
    answer: { policy: { name: 'n', reason: 'r' } },
    rationale: large,
    sealed: { submitted: { seed: 's', text: '"t"' }, inputContext: { seed: 's', text: large } },
  };
}

function cacheOf(bytes: number): IdempotencyCache {
  return new IdempotencyCache({
    append: (given) => Promise.resolve({ kind: 'sealed', entry: stored(given) }),
    isFresh: () => true,
    replayed: DECISIONS.replayed,
    bytes,
  });
}

test('keeps the members of an answer and nothing of the payload', async () => {
  const cache = cacheOf(1_000_000);
  const outcome = await cache.append(draft(organizationId, { idempotencyKey: key(1) }));
  expect(outcome).toMatchObject({ kind: 'sealed', entry: { view: large } });
  const kept = cache.getCached(organizationId, key(1));
  expect(kept).toMatchObject({
    agentId: 'bot',
    verdict: 'approved',
    chainHash: 'c',
    answer: { policy: { name: 'n', reason: 'r' } },
    sealed: { submitted: { seed: 's' } },
  });
  expect(JSON.stringify(kept).length).toBeLessThan(1_000);
});

test('is bounded in bytes and forgets the oldest answers first', async () => {
  const cache = cacheOf(20_000);
  for (let number = 0; number < 200; number++)
    await cache.append(draft(organizationId, { idempotencyKey: key(number) }));
  expect(cache.bytes).toBeLessThanOrEqual(20_000);
  expect(cache.getCached(organizationId, key(0))).toBeNull();
  expect(cache.getCached(organizationId, key(199))).not.toBeNull();
});
