// Shared work: callers that leave or stay, and when the work is aborted.
import { expect, test } from 'vitest';
import { SharedWork } from '../../../src/platform/concurrency/shared-work.ts';

/** Work that ends on request of the test, like work whose last step cannot be aborted. */
function start() {
  let end: ((result: string) => void) | undefined;
  let signal: AbortSignal | undefined;
  const work = new SharedWork<string>((aborted) => {
    signal = aborted;
    return new Promise((resolve, reject) => {
      end = (result) => (aborted.aborted ? reject(aborted.reason as Error) : resolve(result));
    });
  });
  return { work, end: (result: string) => end?.(result), isAborted: () => signal?.aborted };
}

test('all callers get the result', async () => {
  const { work, end } = start();
  const both = [work.join(undefined), work.join(new AbortController().signal)];
  end('done');
  expect(await Promise.all(both)).toEqual(['done', 'done']);
});

test('the work continues while one caller stays', async () => {
  const { work, end, isAborted } = start();
  const leaving = new AbortController();
  const stays = work.join(new AbortController().signal);
  const leaves = work.join(leaving.signal);
  leaving.abort(new Error('left'));
  await expect(leaves).rejects.toThrow('left');
  expect([isAborted(), work.isAborted]).toEqual([false, false]);
  end('done');
  expect(await stays).toBe('done');
});

test('the last leaving caller aborts the work and waits for its end', async () => {
  const { work, end, isAborted } = start();
  const leaving = [new AbortController(), new AbortController()];
  const [first, last] = leaving.map(({ signal }) => work.join(signal));
  leaving[0]?.abort(new Error('left first'));
  await expect(first).rejects.toThrow('left first');
  let hasEnded = false;
  const ended = last?.finally(() => (hasEnded = true));
  leaving[1]?.abort(new Error('left last'));
  expect([isAborted(), work.isAborted]).toEqual([true, true]);
  await new Promise((resolve) => void setImmediate(resolve));
  expect(hasEnded).toBe(false);
  end('too late');
  await expect(ended).rejects.toThrow('left last');
});

test('rejects a caller whose signal is already aborted', async () => {
  const { work, end, isAborted } = start();
  const joined = work.join(AbortSignal.abort(new Error('left')));
  expect(isAborted()).toBe(true);
  end('too late');
  await expect(joined).rejects.toThrow('left');
});
