// Witness policies are read as c2sp.org/tlog-policy says, or refused with the line that is wrong.
import { expect, it } from 'vitest';
import { hasQuorum, parseWitnessPolicy } from '../src/witness-policy.ts';
import { formatVerifierKey, WITNESS_KEY } from '../src/signed-note.ts';

const vkeys = ['a', 'b', 'c'].map((name) =>
  formatVerifierKey({ name, type: WITNESS_KEY, publicKey: Buffer.alloc(32, name) }),
);
const [a, b, c] = vkeys;
/** The key of the first under another name. */
const renamed = formatVerifierKey({
  name: 'z',
  type: WITNESS_KEY,
  publicKey: Buffer.alloc(32, 'a'),
});
const LOG = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';

it('groups of groups need as many members as they say', () => {
  const policy = parseWitnessPolicy(
    `log ${LOG} https://log.example/\n\nwitness A ${a} https://a.example/ # of A\nwitness B ${b}\n` +
      `witness C ${c} https://c.example\ngroup BC any B C\ngroup all all A BC\nquorum all\n`,
  );
  if ('problem' in policy) throw new Error(policy.problem);
  expect(policy.witnesses.map(({ url }) => url)).toEqual([
    'https://a.example',
    null,
    'https://c.example',
  ]);
  const cases: [string[], boolean][] = [
    [[], false],
    [['A'], false],
    [['B', 'C'], false],
    [['A', 'C'], true],
    [['A', 'B'], true],
  ];
  for (const [signed, holds] of cases) expect(hasQuorum(policy, new Set(signed))).toBe(holds);
  expect(hasQuorum({ ...policy, quorum: null }, new Set())).toBe(true);
});

it('a witness that a group reaches through several members counts once', () => {
  const policy = parseWitnessPolicy(
    `witness A ${a}\nwitness B ${b}\nwitness C ${c}\ngroup AB any A B\ngroup AC any A C\n` +
      'group two 2 AB AC\ngroup three 3 two A B\nquorum three\n',
  );
  if ('problem' in policy) throw new Error(policy.problem);
  const needs = (quorum: string, ...signed: string[]) =>
    hasQuorum({ ...policy, quorum }, new Set(signed));
  expect([needs('two', 'A'), needs('two', 'A', 'B'), needs('two', 'C', 'B')]).toEqual([
    false,
    true,
    true,
  ]);
  expect([needs('three', 'A', 'B'), needs('three', 'A', 'B', 'C')]).toEqual([false, true]);
});

it('sixty groups that each name the two before them twice over end at once', () => {
  const pairs = Array.from({ length: 31 }, (_, at) => [`l${at}`, `r${at}`]);
  const lines = pairs.flatMap(([left, right], at) => {
    const below = at === 0 ? 'A B' : pairs[at - 1]!.join(' ');
    return [`group ${left} all ${below}`, `group ${right} all ${below}`];
  });
  const text = `witness A ${a}\nwitness B ${b}\n${lines.join('\n')}\nquorum l30\n`;
  const policy = parseWitnessPolicy(text);
  if ('problem' in policy) throw new Error(policy.problem);
  expect(hasQuorum(policy, new Set(['A', 'B']))).toBe(true);
  expect(hasQuorum(policy, new Set(['A']))).toBe(false);
});

it.each([
  ['', 'it names no quorum'],
  ['quorum x', 'line 1: x is not named before'],
  [`witness A ${LOG}\nquorum A`, 'line 1: the key is no verifier key of a witness (Ed25519)'],
  [`witness A ${a}\nwitness A ${b}\nquorum A`, 'line 2: A is named twice'],
  [`witness A ${a} ftp://x\nquorum A`, 'line 1: the address is no URL'],
  [
    `witness A ${a}\ngroup g 2 A\nquorum g`,
    'line 2: the number needed is none of any, all, or 1 to the number of members',
  ],
  [
    `group g all\nquorum g`,
    'line 1: the number needed is none of any, all, or 1 to the number of members',
  ],
  ['group g any h\nquorum g', 'line 1: h is not named before'],
  ['quorum none\nquorum none', 'line 2: there are two quorums'],
  ['hello', 'line 1: hello is none of log, witness, group, quorum'],
  [`witness A ${a}\ngroup g 2 A A\nquorum g`, 'line 2: A is in g twice: a witness counts once'],
  [`witness A ${a}\nwitness B ${a}\nquorum A`, 'line 2: B has the key of A: a witness counts once'],
  [
    `witness A ${a}\nwitness B ${renamed}\nquorum A`,
    'line 2: B has the key of A: a witness counts once',
  ],
  [
    `witness none ${a}\nquorum none`,
    'line 1: none is no name: as a quorum it stands for no witness',
  ],
  [`witness A ${a}\nquorum none A`, 'line 2: a quorum is one name'],
  [`group g any g\nquorum g`, 'line 1: g is not named before'],
  [
    `witness A ${a}\nwitness B ${b}\ngroup g 0x2 A B\nquorum g`,
    'line 3: the number needed is none of any, all, or 1 to the number of members',
  ],
])('%j is refused', (text, problem) => {
  expect(parseWitnessPolicy(text)).toEqual({ problem });
});
