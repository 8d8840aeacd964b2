// The queue of password hashes: its limit, and requests whose client has disconnected.
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startHarness, type Harness } from '../../setup/harness.ts';
import { createOwner, PASSWORD, type Owner } from '../../setup/personas.ts';

/** Some hundred milliseconds a hash. */
const SLOW = { memoryCost: 19_456, timeCost: 24, parallelism: 1 };

let harness: Harness;
let ada: Owner;
beforeAll(async () => {
  const few = { ASSAY_PASSWORD_CONCURRENCY: '1', ASSAY_PASSWORD_QUEUE: '2' };
  harness = await startHarness(few, { passwordCost: SLOW });
  ada = await createOwner(harness.app);
});
afterAll(() => harness.stop());

const login = () =>
  harness.app.call('POST', '/api/v1/auth/login', {
    body: { email: ada.email, password: PASSWORD },
  });

test(
  'beyond what waits, 503 at once with the time to come back; the others are served',
  { tags: ['long'] },
  async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, login));
    const refused = answers.filter(({ status }) => status === 503);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(8 - refused.length);
    expect(refused.length).toBeGreaterThan(0);
    for (const { body, headers } of refused)
      expect([body.code, headers.get('retry-after')]).toEqual(['SERVICE_UNAVAILABLE', '5']);
  },
);

test('no hash is computed for a client that has disconnected', async () => {
  const { passwords, shared } = harness.app.instance.platform;
  const before = passwords.computed;
  // The one permit is taken until the client has gone, however long that takes.
  const limits = { namespace: 'passwords', permits: 1, maxWaiting: 2 };
  const release = await shared.acquireSlot({ ...limits, key: 'another network' });
  const body = JSON.stringify({ email: ada.email, password: PASSWORD });
  const { hostname, port } = new URL(harness.app.url);
  const socket = connect(Number(port), hostname);
  const head = `POST /api/v1/auth/login HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json`;
  socket.write(`${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
  await expect.poll(() => passwords.waiting, { interval: 5 }).toBe(1);
  socket.destroy();
  await once(socket, 'close');
  // Another client gets its answer after that.
  expect((await harness.app.call('GET', '/health')).status).toBe(200);
  release?.();
  expect((await login()).status).toBe(200);
  expect(passwords.computed).toBe(before + 1);
});
