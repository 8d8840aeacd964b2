// The keyed mutex: work for one key runs in sequence, and other keys do not wait.
import { expect, test } from 'vitest';
import { KeyedMutex } from '../../../src/platform/concurrency/keyed-mutex.ts';

test('work for one key runs in order, also after a failure, and another key does not wait', async () => {
  const mutex = new KeyedMutex();
  const steps: string[] = [];
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const work = (name: string, until?: Promise<void>) => async () => {
    steps.push(`${name} begins`);
    await until;
    steps.push(`${name} ends`);
    return name;
  };
  const first = mutex.runExclusive('mallory', work('first', ended));
  const failing = mutex.runExclusive('mallory', () => Promise.reject(new Error('broken')));
  const last = mutex.runExclusive('mallory', work('last'));
  expect(await mutex.runExclusive('ada', work('other'))).toBe('other');
  end();
  await expect(failing).rejects.toThrow('broken');
  expect([await first, await last]).toEqual(['first', 'last']);
  expect(steps.slice(0, 3)).toEqual(['first begins', 'other begins', 'other ends']);
  expect(steps.slice(3)).toEqual(['first ends', 'last begins', 'last ends']);
});
