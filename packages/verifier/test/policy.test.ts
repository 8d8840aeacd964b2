// The verifier reads witness policies (c2sp.org/tlog-policy) as the service does, or refuses them with the line that is wrong.
import { generateKeyPairSync, sign } from 'node:crypto';
import { expect, it } from 'vitest';
import {
  formatCosignature,
  formatCosignedText,
  formatSignatureLine,
  formatVerifierKey,
  toRawPublicKey,
  WITNESS_KEY,
} from '@assay/tlog';
import { describeLogPin } from '../src/log/log-options.ts';
import { readNote } from '../src/log/note.ts';
import { findQuorum, readPolicy } from '../src/log/policy.ts';
import { Unreadable } from '../src/text.ts';

const [a = '', b = ''] = ['a', 'b'].map((name) =>
  formatVerifierKey({ name, type: WITNESS_KEY, publicKey: Buffer.alloc(32, name) }),
);
/** The key of the first under another name. */
const renamed = formatVerifierKey({
  name: 'z',
  type: WITNESS_KEY,
  publicKey: Buffer.alloc(32, 'a'),
});
const LOG = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';

it('witnesses, groups of them and the quorum are read', () => {
  const text = `log ${LOG} https://log.example/\n\nwitness A ${a} https://a.example/ # of A\nwitness B ${b}\ngroup one any A B\ngroup both 2 A one\nquorum both\n`;
  const { members, quorum } = readPolicy(text);
  expect(quorum).toBe('both');
  expect([...members.keys()]).toEqual(['A', 'B', 'one', 'both']);
  expect(members.get('A')).toMatchObject({ key: { name: 'a' } });
  expect(members.get('one')).toEqual({ needed: 1, names: ['A', 'B'] });
  expect(members.get('both')).toEqual({ needed: 2, names: ['A', 'one'] });
  expect(readPolicy('quorum none').quorum).toBeNull();
});

it.each([
  ['', 'the policy names no quorum'],
  ['quorum x', 'policy, line 1: no witness or group x'],
  [`witness A ${LOG}\nquorum A`, 'policy, line 1: malformed'],
  [`witness A ${a}\nwitness A ${b}\nquorum A`, 'policy, line 2: A is named twice'],
  [`witness A ${a}\ngroup g 2 A\nquorum g`, 'policy, line 2: malformed'],
  ['group g any h\nquorum g', 'policy, line 1: malformed'],
  ['quorum none\nquorum none', 'policy, line 2: a second quorum'],
  ['hello', 'policy, line 1: unknown word hello'],
  [`witness A ${a}\ngroup g 2 A A\nquorum g`, 'policy, line 2: malformed'],
  [
    `witness A ${a}\nwitness B ${a}\nquorum A`,
    'policy, line 2: B has the key of another witness, and a witness counts once',
  ],
  [
    `witness A ${a}\nwitness B ${renamed}\nquorum A`,
    'policy, line 2: B has the key of another witness, and a witness counts once',
  ],
  [`witness none ${a}\nquorum none`, 'policy, line 1: none stands for no witness'],
  [`witness A ${a}\nquorum none A`, 'policy, line 2: a quorum is one name'],
  ['group g any g\nquorum g', 'policy, line 1: malformed'],
  [`witness A ${a}\nwitness B ${b}\ngroup g 0x2 A B\nquorum g`, 'policy, line 3: malformed'],
])('%j is refused', (text, reason) => {
  expect(() => readPolicy(text)).toThrow(new Unreadable(reason));
});

it('what vouches for a pin names its witnesses, where there are any', () => {
  const pin = { sequence: 7, chainHash: 'a', traceId: null, salt: null, createdAt: null };
  const of = (witnesses: Map<string, number>) =>
    describeLogPin({ pin, origin: 'log.example', size: 9, witnesses } as never);
  expect(of(new Map())).toBe('  entry 7 is in the log log.example of 9 entries');
  expect(of(new Map([['demo', 1]]))).toBe(
    '  entry 7 is in the log log.example of 9 entries, witnessed by demo at 1970-01-01T00:00:01.000Z',
  );
});

/** Witnesses A, B and so on, and notes that some of them have signed. */
function createWitnesses(count: number) {
  const witnesses = Array.from({ length: count }, (_, at) => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const name = String.fromCodePoint(65 + at);
    return { privateKey, key: { name, type: WITNESS_KEY, publicKey: toRawPublicKey(publicKey) } };
  });
  const text = 'log.example\n1\nAAAA\n';
  const lines = witnesses.map(({ key }) => `witness ${key.name} ${formatVerifierKey(key)}\n`);
  return {
    lines: lines.join(''),
    signBy: (names: string, seconds = 7) =>
      readNote(
        `${text}\n${witnesses
          .filter(({ key }) => names.includes(key.name))
          .map(({ key, privateKey }) => {
            const signed = sign(null, Buffer.from(formatCosignedText(text, seconds)), privateKey);
            return formatSignatureLine(key, formatCosignature(seconds, signed));
          })
          .join('')}`,
      ),
  };
}

it('a witness that a group reaches through several members counts once', () => {
  const { lines, signBy } = createWitnesses(3);
  const groups = 'group AB any A B\ngroup AC any A C\ngroup two 2 AB AC\nquorum two\n';
  const policy = readPolicy(`${lines}${groups}`);
  const isEnough = (names: string) => findQuorum(policy, signBy(names)) !== null;
  expect(['A', 'AB', 'BC'].map(isEnough)).toEqual([false, true, true]);
});

it('sixty groups that each name the two before them end at once', () => {
  const { lines, signBy } = createWitnesses(2);
  const pairs = Array.from({ length: 60 }, (_, at) => [`l${at}`, `r${at}`]);
  const groups = pairs.flatMap(([left, right], at) => {
    const below = at === 0 ? 'A B' : pairs[at - 1]!.join(' ');
    return [`group ${left} all ${below}`, `group ${right} all ${below}`];
  });
  const policy = readPolicy(`${lines}${groups.join('\n')}\nquorum l59\n`);
  expect(findQuorum(policy, signBy('AB'))?.size).toBe(2);
  expect(findQuorum(policy, signBy('A'))).toBeNull();
});

it('a time beyond all calendars is none', () => {
  const { lines, signBy } = createWitnesses(1);
  const policy = readPolicy(`${lines}quorum A\n`);
  expect(findQuorum(policy, signBy('A', 2 ** 52))).toBeNull();
});
