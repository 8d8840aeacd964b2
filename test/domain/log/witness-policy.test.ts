// Witness policies are read as c2sp.org/tlog-policy says, or refused with the line that is wrong.
import { expect, it } from 'vitest';
import { hasQuorum, parseWitnessPolicy } from '../../../src/domain/log/witness-policy.ts';
import { formatVerifierKey, WITNESS_KEY } from '../../../src/domain/log/signed-note.ts';

const vkeys = ['a', 'b', 'c'].map((name) =>
  formatVerifierKey({ name, type: WITNESS_KEY, publicKey: Buffer.alloc(32, name) }),
);
const [a, b, c] = vkeys;
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
])('%j is refused', (text, problem) => {
  expect(parseWitnessPolicy(text)).toEqual({ problem });
});
