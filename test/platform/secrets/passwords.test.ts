// Password hashing: argon2id, bounded, and the same work for an account that does not exist.
import { expect, test } from 'vitest';
import { createPasswords, type PasswordQueue } from '../../../src/platform/secrets/passwords.ts';
import { Admission } from '../../../src/platform/concurrency/admission.ts';

const queue = (
  atATime: number,
  { maxWaiting = 100, ...more }: Partial<PasswordQueue & { maxWaiting: number }> = {},
): PasswordQueue => {
  const admission = new Admission({ permits: atATime, maxWaiting });
  const acquire = (key: string) => admission.acquire(key);
  return Object.assign({ acquire, isAbandoned: () => false, network: () => '' }, more);
};

test('a password matches its hash, which differs each time', async () => {
  const passwords = createPasswords(queue(2));
  const [first, second] = await Promise.all([
    passwords.hash('Correct-Horse-9'),
    passwords.hash('Correct-Horse-9'),
  ]);
  expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(first).not.toBe(second);
  expect(await passwords.verify(first, 'Correct-Horse-9')).toBe(true);
  expect(await passwords.verify(first, 'correct-horse-9')).toBe(false);
});

test('an unknown account costs one verification like a known one, and never matches', async () => {
  const passwords = createPasswords(queue(1));
  const stored = await passwords.hash('Correct-Horse-9');
  for (const [account, password] of [
    [stored, 'wrong'],
    [null, 'wrong'],
    [null, 'no account has this password'],
  ] as const) {
    const before = passwords.computed;
    expect(await passwords.verify(account, password)).toBe(false);
    expect(passwords.computed - before).toBe(1);
  }
});

test('concurrent hashes are bounded, and waiting ones run in order', async () => {
  const passwords = createPasswords(queue(1));
  const done: number[] = [];
  const all = [0, 1, 2].map((index) => passwords.hash(`p${index}`).then(() => done.push(index)));
  expect(passwords.computed).toBe(1);
  await all[0];
  expect(passwords.computed).toBe(2);
  await Promise.all(all);
  expect([passwords.computed, done]).toEqual([3, [0, 1, 2]]);
});

test('an unreadable hash fails its own verification and frees its slot', async () => {
  const passwords = createPasswords(queue(1));
  await expect(passwords.verify('not a hash', 'x')).rejects.toThrow();
  const stored = await passwords.hash('Correct-Horse-9');
  expect(await passwords.verify(stored, 'Correct-Horse-9')).toBe(true);
});

test('a full queue refuses at once, and has room again later', async () => {
  const passwords = createPasswords(queue(1, { maxWaiting: 2 }));
  const taken = [passwords.hash('a'), passwords.hash('b'), passwords.hash('c')];
  await expect(passwords.hash('d')).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    headers: { 'Retry-After': '5' },
  });
  await Promise.all(taken);
  expect(passwords.computed).toBe(3);
  await passwords.hash('e');
});

test('networks are served in rotation, and one that fills the queue yields to another', async () => {
  let network = 'many';
  const passwords = createPasswords(queue(1, { maxWaiting: 4, network: () => network }));
  const done: string[] = [];
  const refused: string[] = [];
  const ask = (from: string, name: string): Promise<unknown> => {
    network = from;
    return passwords.hash(name).then(
      () => done.push(name),
      (error: unknown) => {
        expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
        refused.push(name);
      },
    );
  };
  const asked = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => ask('many', name));
  asked.push(ask('one', 'x'), ask('other', 'y'), ask('one', 'z'));
  await Promise.all(asked);
  // `a` was being computed; the last ones in its network's queue are refused.
  expect(refused.toSorted()).toEqual(['d', 'e', 'f', 'z']);
  expect(done).toEqual(['a', 'b', 'x', 'y', 'c']);
});

test('a disconnected caller costs no work and does not block the queue', async () => {
  let hasLeft = false;
  const passwords = createPasswords(queue(1, { isAbandoned: () => hasLeft }));
  const first = passwords.hash('a');
  hasLeft = true;
  const left = expect(passwords.hash('b')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  await first;
  await left;
  expect(passwords.computed).toBe(1);
  hasLeft = false;
  await passwords.hash('c');
  expect(passwords.computed).toBe(2);
});
