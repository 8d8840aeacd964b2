// Audit rows that a crash left unsealed: a bad row or an organisation with a truncated chain delays no other.
import { sweepAuditRows } from '../../../src/identity/audit/audit.service.ts';
import { expect, test } from 'vitest';
import { createSystemAuditEvent } from '../../../src/domain/record/audit-event.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { listAuditEntries, toObjectId } from '../../setup/harness.ts';
import { createOwner, assertOk, type Owner } from '../../setup/personas.ts';
import { startApp } from '../../setup/start-app.ts';
import { cutChain } from './cut-chain.ts';
import { releaseChain } from '../../../src/evidence/hash-chain/chain-release.service.ts';

/** Milliseconds that the app's clock is ahead. */
let ahead = 0;
const clock = { now: () => new Date(Date.now() + ahead) };
const harness = useHarness({}, { clock });
const ada = useOwner(harness, 'Ada');
const bob = useOwner(harness, 'Bob');

const rows = () => harness.db.collection('audit_rows');
const sweep = (app = harness.app): Promise<void> => sweepAuditRows(app.instance.platform);

/** A row as a crashed instance leaves it. */
async function leave({ organizationId }: Owner, action: string, event?: object): Promise<void> {
  const at = clock.now();
  await rows().insertOne({
    organizationId: toObjectId(organizationId),
    event: event ?? createSystemAuditEvent({ organizationId, action, resource: 'test' }),
    createdAt: at,
    dueAt: at,
    attempts: 0,
  });
}
const waitingOf = ({ organizationId }: Owner) =>
  rows()
    .find({ organizationId: toObjectId(organizationId) })
    .toArray();
const actionsOf = async (who: Owner): Promise<unknown[]> =>
  (await listAuditEntries(harness.app, who)).map(({ action }) => action);

test('a row that cannot be sealed delays no other, and is set aside after the last attempt', async () => {
  const { organizationId } = ada;
  await leave(ada, 'bad', {
    ...createSystemAuditEvent({ organizationId, action: 'x', resource: 'y' }),
    action: { not: 'a text' },
  });
  ahead += 1;
  await leave(bob, 'bobs.own');
  await leave(ada, 'adas.own');
  await sweep();
  expect(await actionsOf(bob)).toContain('bobs.own');
  expect(await actionsOf(ada)).toContain('adas.own');
  for (let n = 0; n < 10; n++) {
    ahead += 3_600_000;
    await sweep();
  }
  expect(await waitingOf(ada)).toMatchObject([{ attempts: 8, dueAt: null }]);
  expect(harness.app.logged.filter((line) => line.includes('set aside'))).toHaveLength(1);
  const { text } = await harness.app.call('GET', '/metrics');
  expect(text).toMatch(/^assay_audit_rows\{state="set_aside"\} 1$/m);
  expect(text).toMatch(/^assay_audit_rows\{state="waiting"\} 0$/m);
  await leave(ada, 'later');
  await sweep();
  expect(await actionsOf(ada)).toContain('later');
});

test(
  'an organisation whose audit chain was cut waits by itself, and nothing of it is set aside',
  { tags: ['long'], timeout: 60_000 },
  async () => {
    const eve = await createOwner(harness.app, 'Eve');
    assertOk(
      await harness.app.call('POST', '/api/v1/workspaces', {
        token: eve.token,
        body: { name: 'w' },
      }),
    );
    await cutChain(harness, 'audit_entries', eve, 1);
    // After this every instance checks its heads again.
    ahead += 61_000;
    const fresh = await startApp({}, { mongoUri: harness.mongoUri, clock });
    for (let n = 0; n < 20; n++) await leave(eve, 'eves.own');
    const wrong = { email: eve.email, password: 'Wrong-Horse-9' };
    expect((await fresh.call('POST', '/api/v1/auth/login', { body: wrong })).status).toBe(401);
    // The refusal cannot be sealed at once, so its row waits like the others.
    await expect.poll(async () => (await waitingOf(eve)).length).toBe(21);
    ahead += 1;
    await leave(bob, 'behind.eve');
    await sweep(fresh);
    expect(await actionsOf(bob)).toContain('behind.eve');
    for (let n = 0; n < 10; n++) {
      ahead += 3_600_000;
      await sweep(fresh);
    }
    const waiting = await waitingOf(eve);
    expect(waiting).toHaveLength(21);
    for (const { attempts, dueAt } of waiting) {
      expect(attempts).toBe(0);
      expect(dueAt).toBeInstanceOf(Date);
    }
    const { organizationId } = eve;
    const request = { organizationId, chain: 'audit', reason: 'a drill' } as const;
    await releaseChain(fresh.instance.platform, request);
    ahead += 3_600_000;
    await sweep(fresh);
    expect(await waitingOf(eve)).toEqual([]);
    expect(await actionsOf(eve)).toContain('auth.login');
    await fresh.stop();
  },
);
