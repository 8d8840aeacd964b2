// Finds the earliest claim of an effect that was made while another one was live, in whatever order they are added.
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  EffectClaims,
  readEffectKeys,
  type SecondClaim,
} from '../../../src/domain/actions/effect-claims.ts';
import { seeded } from '../../ledger/random.ts';

type Claim = [effect: string, from: number, until: number | null];

const toKey = (effect: string): string => createHash('sha256').update(effect).digest('hex');

function findSecond(claims: readonly Claim[]): SecondClaim | null {
  const collected = new EffectClaims();
  for (const [effect, from, until] of claims) collected.addClaim([toKey(effect)], from, until);
  return collected.findSecond();
}

/** The earliest claim within the life of another one of its effect. */
function compareEach(claims: readonly Claim[]): number | null {
  const seconds = claims.filter(([effect, from], at) =>
    claims.some(
      ([other, begun, until], index) =>
        index !== at && other === effect && begun < from && from < (until ?? Infinity),
    ),
  );
  return seconds.length === 0 ? null : Math.min(...seconds.map(([, from]) => from));
}

test.each<[Claim[], SecondClaim | null]>([
  [[], null],
  [[['a', 1, null]], null],
  [
    [
      ['a', 1, 2],
      ['a', 3, 4],
      ['b', 2, null],
    ],
    null,
  ],
  [
    [
      ['a', 9, null],
      ['a', 3, null],
    ],
    { sequence: 9, other: 3 },
  ],
  [
    [
      ['a', 1, 20],
      ['a', 3, 4],
      ['a', 9, null],
    ],
    { sequence: 3, other: 1 },
  ],
  [
    [
      ['b', 1, 20],
      ['b', 8, null],
      ['a', 300, null],
      ['a', 2, 301],
    ],
    { sequence: 8, other: 1 },
  ],
])('%j', (claims, expected) => {
  expect(findSecond(claims)).toEqual(expected);
});

test('as comparing each with each', () => {
  const chance = seeded(7);
  for (let run = 0; run < 300; run++) {
    const claims = Array.from({ length: chance.integer(1, 400) }, (_, at): Claim => {
      const until = chance.happens(0.9) ? at + 1 + chance.integer(1, 3) : null;
      return [`effect ${chance.integer(1, 300)}`, at + 1, until];
    });
    const shuffled = claims.toSorted(() => chance.next() - 0.5);
    expect(findSecond(shuffled)?.sequence ?? null).toBe(compareEach(claims));
  }
});

test('only keys are read, each once', () => {
  const key = toKey('a');
  expect(readEffectKeys(JSON.stringify([key, key, 'a', 7, null]))).toEqual([key]);
  expect(readEffectKeys('{}')).toEqual([]);
  expect(readEffectKeys(undefined)).toEqual([]);
});
