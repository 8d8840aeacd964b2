// A clock that jumps while an instance serves: nothing is dated by it (docs/internals/ledger.md, clocks).
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createOwner,
  createWorkspaceKey,
  buildDecision,
  assertOk,
  type Owner,
} from '../../setup/personas.ts';
import { createDatabaseUri } from '../../setup/databases.ts';
import { startApp, type Answer, type TestApp } from '../../setup/start-app.ts';

const DAY = 86_400_000;
/** A name for this machine that does not say so: the database counts as one elsewhere. */
const toRemoteUri = (uri: string): string => uri.replace('127.0.0.1', '0.0.0.0');

/** An instance whose clock the test sets, and one beside it whose clock is right. */
async function startInstances(uri: string) {
  let set = 0;
  const wall = (): number => Date.now() + set;
  const parts = {
    mongoUri: uri,
    clock: { now: () => new Date(wall()) },
    machineClocks: {
      wall,
      elapsed: () => performance.now(),
      sinceBoot: () => performance.now(),
    },
  };
  const jumping = await startApp({}, parts);
  const steady = await startApp({}, { mongoUri: uri });
  return { jumping, steady, setBy: (ms: number) => (set = ms) };
}

const postDecision = (to: TestApp, key: string): Promise<Answer> =>
  to.call('POST', '/api/v1/traces', { key, body: buildDecision('clockwork') });
const readReadiness = async (of: TestApp): Promise<number> =>
  (await of.call('GET', '/ready')).status;

describe.each([
  ['elsewhere', toRemoteUri],
  ['on this machine', (uri: string) => uri],
])('with the database %s', (_where, uriOf) => {
  let apps: Awaited<ReturnType<typeof startInstances>>;
  let ada: Owner;
  let key: string;
  beforeAll(async () => {
    apps = await startInstances(uriOf(createDatabaseUri()));
    ada = await createOwner(apps.steady);
    ({ key } = await createWorkspaceKey(apps.steady, ada));
    assertOk(await postDecision(apps.jumping, key));
  });
  afterAll(async () => {
    await apps.jumping.stop();
    await apps.steady.stop();
  });

  test.each([400 * DAY, -DAY])('a jump by %d ms is sealed nowhere', async (ms) => {
    apps.setBy(ms);
    const refused = await Promise.all(
      Array.from({ length: 5 }, () => postDecision(apps.jumping, key)),
    );
    for (const { status, body, headers } of refused)
      expect([status, body.code, Number(headers.get('retry-after')) > 0]).toEqual([
        503,
        'SERVICE_UNAVAILABLE',
        true,
      ]);
    expect(await readReadiness(apps.jumping)).toBe(503);
    expect(await readReadiness(apps.steady)).toBe(200);
    const { data } = assertOk(await postDecision(apps.steady, key)).body;
    expect(Math.abs(Date.parse(data.createdAt as string) - Date.now())).toBeLessThan(60_000);
    apps.setBy(0);
    await expect.poll(() => readReadiness(apps.jumping)).toBe(200);
    assertOk(await postDecision(apps.jumping, key));
    const { text } = await apps.jumping.call('GET', '/metrics');
    expect(text).toMatch(/^assay_chains_dated_ahead 0$/m);
  });
});

test(
  'a chain whose newest entry is dated ahead is reported by metric and log',
  { tags: ['long'] },
  async () => {
    const uri = createDatabaseUri();
    let ahead = 3_600_000;
    const app = await startApp(
      {},
      { mongoUri: uri, clock: { now: () => new Date(Date.now() + ahead) } },
    );
    const ada = await createOwner(app);
    const { key } = await createWorkspaceKey(app, ada);
    assertOk(await postDecision(app, key));
    ahead = 0;
    assertOk(await postDecision(app, key));
    const { text } = await app.call('GET', '/metrics');
    expect(text).toMatch(/^assay_chains_dated_ahead [12]$/m);
    const said = app.logged.filter((line) => line.includes('dated ahead'));
    expect(said.some((line) => line.includes(ada.organizationId))).toBe(true);
    ahead = 3_600_000;
    assertOk(await postDecision(app, key));
    expect((await app.call('GET', '/metrics')).text).toMatch(/^assay_chains_dated_ahead [01]$/m);
    await app.stop();
  },
);
