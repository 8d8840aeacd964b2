// What is done about an insert whose outcome is not known, step by step: the store here answers from a script.
import { expect, test } from 'vitest';
import { DECISIONS } from '../../src/ledger/chains.ts';
import type { Stored } from '../../src/ledger/entry.ts';
import { insertBatch } from '../../src/ledger/append/insert-batch.ts';
import { AppendQueue } from '../../src/ledger/append/append-queue.ts';
import { objectId } from '../../src/ledger/ledger.model.ts';
import { genesisHead, headOf, seal } from '../../src/ledger/append/seal.ts';
import type { InsertOutcome, LedgerStore } from '../../src/ledger/append/store.ts';
import { hastyTimer, draft } from './store/real-chain.ts';

const ORGANIZATION = 'b'.repeat(24);
const lane = new AppendQueue(ORGANIZATION, objectId(ORGANIZATION));
const id = (digit: number) => objectId(String(digit).repeat(24));
const drafts = [draft(ORGANIZATION), draft(ORGANIZATION), draft(ORGANIZATION)];

/** The drafts sealed at a moment; the same moment gives the same bytes. */
function sealedAt(now: number): [Stored, Stored, Stored] {
  const entries: Stored[] = [];
  for (const [index, one] of drafts.entries()) {
    const point = {
      head: entries.at(-1) ?? genesisHead(DECISIONS),
      now: new Date(now),
      chain: DECISIONS,
    };
    entries.push(seal(one, { _id: id(index), organizationId: lane.id }, point) as Stored);
  }
  return entries as [Stored, Stored, Stored];
}

const [first, second, third] = sealedAt(1_000);
const foreign: Stored = { ...first, _id: id(9), chainHash: 'f'.repeat(64) };
const unknown: InsertOutcome = { kind: 'unknown', cause: new Error('no answer') };

interface Script {
  outcomes: InsertOutcome[];
  /** What majority reads show: the last one for ever. */
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
    byIds: (_organizationId, ids) => {
      current = shown();
      return Promise.resolve(current.filter((entry) => ids.some((one) => one.equals(entry._id))));
    },
    at: (_organizationId, sequence) =>
      Promise.resolve(current.find((entry) => entry.sequence === sequence) ?? null),
    newest: () => Promise.resolve(current.at(-1) ?? null),
    byIdempotencyKey: () => Promise.resolve([]),
    releaseIdempotencyKey: () => Promise.resolve(),
  };
  lane.trust(genesisHead(DECISIONS));
  const landing = insertBatch(lane, [first, second, third], {
    store,
    timer: hastyTimer,
    probe: () => {},
  });
  return { landing, sent };
}

test('the byte-identical rest is sent again, after what a majority has', async () => {
  const { landing, sent } = play({ outcomes: [unknown, { kind: 'ok' }], majority: [[first]] });
  expect(await landing).toEqual({
    landed: [first, second, third],
    head: headOf(third),
    stop: null,
  });
  expect(sent[1]).toEqual([second, third]);
});

test('its own duplicate is no acknowledgement: a majority has to show it', async () => {
  const own: InsertOutcome = { kind: 'duplicate', at: 0, race: 'own' };
  const { landing, sent } = play({
    outcomes: [unknown, own, own],
    majority: [[], [], [first, second, third]],
  });
  expect(await landing).toEqual({
    landed: [first, second, third],
    head: headOf(third),
    stop: null,
  });
  expect(sent).toHaveLength(3);
});

test('a collision decides nothing before a majority shows who holds the sequence', async () => {
  const collision: InsertOutcome = { kind: 'duplicate', at: 0, race: 'chain' };
  const { landing, sent } = play({
    outcomes: [unknown, collision, collision],
    majority: [[], [], [foreign]],
  });
  expect(await landing).toMatchObject({
    landed: [],
    head: null,
    stop: { document: first, reason: { race: 'chain' } },
  });
  expect(sent).toHaveLength(3);
});

test('behind an earlier sealing of the same entry nothing is inserted that links to the later one', async () => {
  const [earlier] = sealedAt(500);
  const { landing, sent } = play({
    outcomes: [{ kind: 'duplicate', at: 0, race: 'own' }],
    majority: [[earlier]],
  });
  expect(await landing).toMatchObject({
    landed: [earlier],
    head: null,
    stop: { document: second },
  });
  expect(sent).toHaveLength(1);
});

test('what stops the rest when it is sent again is told, and what came before it counts', async () => {
  const superseded: InsertOutcome = { kind: 'duplicate', at: 1, race: 'following' };
  const { landing } = play({ outcomes: [unknown, superseded], majority: [[first]] });
  expect(await landing).toMatchObject({
    landed: [first, second],
    head: headOf(second),
    stop: { document: third },
  });
});
