// State of an instance: one for each platform, and freed with it. Caches: "a change reaches the other instance" of policies.
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { perInstance } from '../../src/platform/per-instance.ts';
import type { Platform } from '../../src/platform/platform.ts';

const createPlatform = (publicUrl: string) => ({ publicUrl }) as Platform;

test('each platform has its own state, created once', () => {
  const created: string[] = [];
  const open = perInstance(({ publicUrl }) => {
    created.push(publicUrl);
    return new Map<string, number>();
  });
  const [one, other] = [createPlatform('one'), createPlatform('other')];
  open(one).set('key', 1);
  expect(open(one)).toBe(open(one));
  expect([open(one).get('key'), open(other).get('key')]).toEqual([1, undefined]);
  expect(created).toEqual(['one', 'other']);
});

test('state is freed with its platform', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const open = perInstance((platform) => ({ platform }));
  const state = new WeakRef(open(createPlatform('one')));
  await setImmediate();
  collectGarbage();
  expect(state.deref() === undefined).toBe(true);
});
