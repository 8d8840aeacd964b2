// The decision counter of every entry: a replay counts again, by month, and reports wrong counters.
import { expect, test } from 'vitest';
import { computeChainHash, formatChainTime, ZERO_HASH } from '../../../src/domain/record/chain.ts';
import { DECISIONS } from '../../../src/ledger/chains.ts';
import type { Stored } from '../../../src/ledger/entry.ts';
import { toObjectId } from '../../../src/ledger/ledger.model.ts';
import { ChainReplay } from '../../../src/ledger/verify/chain-replay.ts';
import type { VerifiedPosition } from '../../../src/ledger/verify/report.ts';
import { SampleChain } from '../../domain/record/samples/sample-chain.ts';

interface Given {
  kind: 'trace' | 'compliance';
  at: string;
  usage: object;
}
const of = (kind: Given['kind'], at: string, usage: object): Given => ({ kind, at, usage });
const trace = (at: string, month: string, count: number): Given =>
  of('trace', at, { month, count });

/** Returns the places where a replay of these entries finds another usage. */
function wrongIn(given: readonly Given[], after: VerifiedPosition | null = null): number[] {
  const replay = new ChainReplay({
    genesis: DECISIONS.genesis,
    columns: {
      kind: 'trace',
      types: {},
      fixed: [],
      amended: [],
      stated: [],
      assignable: [],
      erasable: [],
    },
    notes: { heads: [], malformed: 0, reached: 0 },
    erasedUntil: null,
    after,
  });
  const samples = new SampleChain();
  let { sequence, chainHash: prevHash } = after ?? { sequence: 0, chainHash: ZERO_HASH };
  for (const { kind, at, usage } of given) {
    const { id, organizationId, traceId, view, payloadDigest, sealed } =
      kind === 'trace' ? samples.trace() : samples.compliance(`6.${sequence + 1}`);
    sequence += 1;
    const createdAt = new Date(at);
    const link = { prevHash, payloadDigest, sequence, createdAt: formatChainTime(createdAt) };
    prevHash = computeChainHash(link);
    replay.replayEntry({
      _id: toObjectId(id),
      organizationId: toObjectId(organizationId),
      kind,
      traceId,
      after: null,
      view,
      sealed,
      ...link,
      createdAt,
      chainHash: prevHash,
      usage,
    } as unknown as Stored);
  }
  const { broken, payload } = replay.toVerification();
  const places = payload.mismatched.map(({ sequence: place }) => place);
  expect(payload.mismatched.filter(({ field }) => field !== 'usage')).toEqual([]);
  expect(broken?.sequence).toBe(places[0]);
  return places;
}

const APRIL = '2026-04-11T12:00:00.000Z';
const LAST_OF_APRIL = '2026-04-30T23:59:59.999Z';
const FIRST_OF_MAY = '2026-05-01T00:00:00.000Z';
const first = trace(APRIL, '2026-04', 1);

test.each<[string, Given[]]>([
  ['decisions count', [first, trace(APRIL, '2026-04', 2), trace(LAST_OF_APRIL, '2026-04', 3)]],
  [
    'other entries keep the count',
    [first, of('compliance', APRIL, { month: '2026-04', count: 1 }), trace(APRIL, '2026-04', 2)],
  ],
  ['a month begins with its first decision', [first, trace(FIRST_OF_MAY, '2026-05', 1)]],
  [
    'a month that begins with another entry starts at zero',
    [
      first,
      of('compliance', FIRST_OF_MAY, { month: '2026-05', count: 0 }),
      trace(FIRST_OF_MAY, '2026-05', 1),
    ],
  ],
])('%s: it is right', (_what, entries) => expect(wrongIn(entries)).toEqual([]));

test.each<[string, Given[], number[]]>([
  ['one too many', [first, trace(APRIL, '2026-04', 3)], [2]],
  ['one too few', [first, trace(APRIL, '2026-04', 1)], [2]],
  ['the first counts none', [trace(APRIL, '2026-04', 0)], [1]],
  ['another month', [trace(APRIL, '2026-05', 1)], [1]],
  ['the month of before', [first, trace(FIRST_OF_MAY, '2026-04', 2)], [2]],
  ['the count of the month before', [first, trace(FIRST_OF_MAY, '2026-05', 2)], [2]],
  ['a count as text', [of('trace', APRIL, { month: '2026-04', count: '1' })], [1]],
  ['a third member', [of('trace', APRIL, { month: '2026-04', count: 1, free: true })], [1]],
  ['no month', [of('trace', APRIL, { count: 1 })], [1]],
  ['no count', [of('trace', APRIL, { month: '2026-04' })], [1]],
  [
    'another entry that counts',
    [first, of('compliance', APRIL, { month: '2026-04', count: 2 })],
    [2],
  ],
  [
    'one entry that is wrong, and the next is right',
    [first, trace(APRIL, '2026-04', 7), trace(APRIL, '2026-04', 3)],
    [2],
  ],
])('%s: it is wrong there', (_what, entries, places) => expect(wrongIn(entries)).toEqual(places));

test('a replay continues from the count of a verified position', () => {
  const after = {
    sequence: 4,
    chainHash: 'a'.repeat(64),
    createdAt: APRIL,
    usage: { month: '2026-04', count: 9 },
  };
  expect(wrongIn([trace(APRIL, '2026-04', 10)], after)).toEqual([]);
  expect(wrongIn([trace(APRIL, '2026-04', 1)], after)).toEqual([5]);
});
