// The verifier reads witness policies (c2sp.org/tlog-policy) as the service does, or refuses them with the line that is wrong.
import { expect, it } from 'vitest';
import { describeLogPin } from '../../../scripts/verify-bundle/log/log-options.ts';
import { readPolicy } from '../../../scripts/verify-bundle/log/policy.ts';
import { Unreadable } from '../../../scripts/verify-bundle/text.ts';
import { formatVerifierKey, WITNESS_KEY } from '../../../src/domain/log/signed-note.ts';

const [a = '', b = ''] = ['a', 'b'].map((name) =>
  formatVerifierKey({ name, type: WITNESS_KEY, publicKey: Buffer.alloc(32, name) }),
);
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
