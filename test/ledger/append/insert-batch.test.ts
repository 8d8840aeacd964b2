// Inserts whose outcome is unknown, step by step, against a scripted store.
import { expect, test } from 'vitest';
import { DECISIONS } from '../../../src/ledger/chains.ts';
import type { Stored } from '../../../src/ledger/entry.ts';
import { insertBatch } from '../../../src/ledger/append/insert-batch.ts';
import { AppendQueue } from '../../../src/ledger/append/append-queue.ts';
import { toObjectId } from '../../../src/ledger/ledger.model.ts';
import { createGenesisHead, toHead, sealDraft } from '../../../src/ledger/append/seal.ts';
import type { InsertOutcome, LedgerStore } from '../../../src/ledger/append/store.ts';
import { hastyTimer, draft } from '../store/real-chain.ts';

const ORGANIZATION = 'b'.repeat(24);
const queue = new AppendQueue(ORGANIZATION);
const id = (digit: number) => toObjectId(String(digit).repeat(24));
const drafts = [draft(ORGANIZATION), draft(ORGANIZATION), draft(ORGANIZATION)];

/** Seals the drafts at a given time; the same time gives the same bytes. */
function sealedAt(now: number): [Stored, Stored, Stored] {
  const entries: Stored[] = [];
  for (const [index, one] of drafts.entries()) {
    const point = {
      head: entries.at(-1) ?? createGenesisHead(DECISIONS),
      now: new Date(now),
      chain: DECISIONS,
    };
    entries.push(
      sealDraft(
        one,
        { _id: id(index), organizationId: queue.organizationObjectId },
        point,
      ) as Stored,
    );
  }
  return entries as [Stored, Stored, Stored];
}

const [first, second, third] = sealedAt(1_000);
const foreign: Stored = { ...first, _id: id(9), chainHash: 'f'.repeat(64) };
const unknown: InsertOutcome = { kind: 'unknown', cause: new Error('no answer') };

interface Script {
  outcomes: InsertOutcome[];
  /** Results of successive majority reads; the last one repeats. */
  majority: Stored[][];
}

function play({ outcomes, majority }: Script) {
  const sent: (readonly Stored[])[] = [];
  const shown = () => (majority.length > 1 ? majority.shift() : majority[0]) ?? [];
  let current: Stored[] = [];
  const store: LedgerStore = {
    insertOrdered: (documents) => {
      sent.push(documents);
      return Promise.resolve(outcomes.shift() ?? unknown);
    },
    findByIds: (_organizationId, ids) => {
      current = shown();
      return Promise.resolve(current.filter((entry) => ids.some((one) => one.equals(entry._id))));
    },
    readHalts: () => Promise.resolve([]),
    readRegisters: () => Promise.resolve(new Map()),
    findAtSequence: (_organizationId, sequence) =>
      Promise.resolve(current.find((entry) => entry.sequence === sequence) ?? null),
    readNewest: () => Promise.resolve(current.at(-1) ?? null),
    findByIdempotencyKey: () => Promise.resolve([]),
    releaseIdempotencyKey: () => Promise.resolve(),
  };
  queue.acceptHead(createGenesisHead(DECISIONS));
  const inserting = insertBatch(queue, [first, second, third], {
    store,
    timer: hastyTimer,
    probe: () => {},
  });
  return { inserting, sent };
}

test('the missing documents are sent again, byte-identical', async () => {
  const { inserting, sent } = play({ outcomes: [unknown, { kind: 'ok' }], majority: [[first]] });
  expect(await inserting).toEqual({
    durable: [first, second, third],
    head: toHead(third),
    failed: null,
  });
  expect(sent[1]).toEqual([second, third]);
});

test('a conflict with its own document is no acknowledgement until a majority shows it', async () => {
  const ownConflict: InsertOutcome = { kind: 'conflict', at: 0, index: '_id' };
  const { inserting, sent } = play({
    outcomes: [unknown, ownConflict, ownConflict],
    majority: [[], [], [first, second, third]],
  });
  expect(await inserting).toEqual({
    durable: [first, second, third],
    head: toHead(third),
    failed: null,
  });
  expect(sent).toHaveLength(3);
});

test('a conflict decides nothing before a majority shows the holder of the sequence', async () => {
  const conflict: InsertOutcome = { kind: 'conflict', at: 0, index: 'chain' };
  const { inserting, sent } = play({
    outcomes: [unknown, conflict, conflict],
    majority: [[], [], [foreign]],
  });
  expect(await inserting).toMatchObject({
    durable: [],
    head: null,
    failed: { document: first, reason: { index: 'chain' } },
  });
  expect(sent).toHaveLength(3);
});

test('documents that link to the later sealing are not inserted after an earlier sealing of the same entry', async () => {
  const [earlier] = sealedAt(500);
  const { inserting, sent } = play({
    outcomes: [{ kind: 'conflict', at: 0, index: '_id' }],
    majority: [[earlier]],
  });
  expect(await inserting).toMatchObject({
    durable: [earlier],
    head: null,
    failed: { document: second },
  });
  expect(sent).toHaveLength(1);
});

test('a conflict of the resent documents is reported and those before it are durable', async () => {
  const superseded: InsertOutcome = { kind: 'conflict', at: 1, index: 'following' };
  const { inserting } = play({ outcomes: [unknown, superseded], majority: [[first]] });
  expect(await inserting).toMatchObject({
    durable: [first, second],
    head: toHead(second),
    failed: { document: third },
  });
});
