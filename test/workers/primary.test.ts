// The primary when the machine does not let it fork workers.
import cluster from 'node:cluster';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { createLogger } from '../../src/platform/observability/logger.ts';
import { startWorkers } from '../../src/workers/primary.ts';
import { SECRETS } from '../setup/start-app.ts';
import { allPidsOf, pidsOf } from './pids.ts';

const PATIENCE = { timeout: 20_000 };
const NOWHERE = join(import.meta.dirname, 'no such folder');

beforeEach(() => {
  const before = { ...cluster.settings };
  cluster.setupPrimary({ exec: join(import.meta.dirname, 'worker-process.mjs'), execArgv: [] });
  return () => void Object.assign(cluster.settings, { cwd: undefined }, before);
});

/** Starts two workers; `output()` returns the log. */
async function startTwo() {
  let printed = '';
  const workers = await startWorkers({
    orders: { workers: 2, mongoUri: '', port: 0, secrets: SECRETS },
    log: createLogger('info', { write: (line) => (printed += line) }),
    onLost: (reason) => expect.unreachable(reason),
  });
  return { ...workers, output: () => printed };
}

test('the start rejects with the reason when a worker cannot be forked', async () => {
  cluster.setupPrimary({ cwd: NOWHERE });
  await expect(startTwo()).rejects.toThrow(/worker 1 could not be forked \(spawn .* ENOENT\)/);
});

test('a replacement that cannot be forked is tried again and the other workers continue', async () => {
  const { output, stop } = await startTwo();
  const second = () => pidsOf({ output }).get(2) ?? [];
  cluster.setupPrimary({ cwd: NOWHERE });
  process.kill(second()[0] as number, 'SIGKILL');
  await vi.waitUntil(() => output().includes('could not be forked'), PATIENCE);
  cluster.setupPrimary({ cwd: import.meta.dirname });
  await vi.waitUntil(() => second().length === 2, PATIENCE);
  expect(allPidsOf({ output })).toHaveLength(3);
  expect(output()).not.toMatch(/"worker":1,[^\n]*replaced/);
  await stop();
});

test('a stop resolves when every worker has ended', async () => {
  const { output, stop } = await startTwo();
  const pids = allPidsOf({ output });
  expect(pids).toHaveLength(2);
  await stop();
  for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});

test(
  'a worker that dies before it listens is replaced while another serves',
  { tags: ['long'] },
  async () => {
    const fork = cluster.fork.bind(cluster);
    let forked = 0;
    const forks = vi.spyOn(cluster, 'fork').mockImplementation((env) => {
      forked += 1;
      const worker = fork(env);
      if (forked === 2) worker.once('online', () => worker.process.kill('SIGKILL'));
      return worker;
    });
    const { output, stop } = await startTwo();
    forks.mockRestore();
    expect(forked).toBe(3);
    expect(pidsOf({ output }).get(2)).toHaveLength(1);
    await stop();
  },
);
