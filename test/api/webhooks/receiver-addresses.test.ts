// Addresses of receivers over HTTP: whole for managers, else cut to the origin (decisions: addresses of receivers).
import { beforeAll, expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { createMember, toObjectId } from '../../setup/harness.ts';
import { createAgent, createWorkspaceKey, assertOk, type Owner } from '../../setup/personas.ts';

const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
const HOST = 'https://hooks.example.com';
const SECRET = 'T0K3N-of-the-channel';
const url = `${HOST}/services/${SECRET}?key=${SECRET}`;
let elsewhere: string;
beforeAll(async () => {
  const { organizationId, workspaceId } = ada;
  const made = await app.call('POST', '/api/v1/workspaces', {
    token: ada.token,
    body: { name: 'Elsewhere' },
  });
  elsewhere = assertOk(made).body.data._id;
  // As stored: creation looks the host up.
  const webhook = (workspace: string | null, fingerprint: string) => ({
    organizationId: toObjectId(organizationId),
    workspaceId: workspace && toObjectId(workspace),
    url,
    events: ['*'],
    type: 'chat_a',
    description: fingerprint,
    isActive: true,
    fingerprint,
    sealedSecret: 'sealed',
    switchedOffAt: null,
    switchedOffReason: null,
    createdAt: new Date(),
    updatedAt: new Date(),
  });
  const all = [webhook(null, 'all'), webhook(workspaceId, 'ours'), webhook(elsewhere, 'theirs')];
  await harness.db.collection('webhooks').insertMany(all);
  await harness.db.collection('alert_rules').insertOne({
    organizationId: toObjectId(organizationId),
    workspaceId: null,
    name: 'Low',
    description: '',
    severity: 'warning',
    isActive: true,
    condition: { field: 'cpiScore', operator: 'lt', value: 1 },
    actions: [
      { type: 'chat', target: url },
      { type: 'webhook', target: url },
      { type: 'email', target: ada.email },
    ],
    createdAt: new Date(),
    updatedAt: new Date(),
  });
});

type Caller = Pick<Owner, 'token'> | { key: string };
const PATHS = ['/webhooks', '/alerts'] as const;
const read = async (caller: Caller, path: string, headers = {}) =>
  assertOk(await app.call('GET', `/api/v1${path}`, { ...caller, headers }));

test('owners and admins see them whole', async () => {
  const admin = await createMember(harness, ada, 'admin');
  for (const path of PATHS)
    for (const who of [ada, admin])
      expect((await read({ token: who.token }, path)).text).toContain(SECRET);
  const found = await read({ token: ada.token }, `/webhooks?search=${SECRET.toLowerCase()}`);
  expect(found.body.pagination.total).toBe(3);
});

test.each(['viewer', 'member', 'reviewer'] as const)('a %s sees where they lead', async (role) => {
  const who = await createMember(harness, ada, role);
  for (const path of PATHS) {
    const { text } = await read(who, path);
    expect(text).toContain(HOST);
    expect(text).not.toContain(SECRET);
  }
});

test('keys see origins; workspace keys only their workspace’s, agent keys none', async () => {
  const whole = await createWorkspaceKey(app, ada);
  const bound = await createWorkspaceKey(app, ada, { workspaceId: elsewhere });
  const agent = await createAgent(app, ada);
  const limited = await createWorkspaceKey(app, ada, { scope: { agentIds: [agent.id] } });
  for (const path of PATHS)
    for (const { key } of [whole, bound, limited])
      expect((await read({ key }, path)).text).not.toContain(SECRET);
  const described = async (key: string): Promise<string[]> => {
    const { data } = (await read({ key }, '/webhooks')).body;
    return data.map(({ description }: { description: string }) => description).sort();
  };
  expect(await described(whole.key)).toEqual(['all', 'ours', 'theirs']);
  expect(await described(bound.key)).toEqual(['all', 'theirs']);
  expect(await described(limited.key)).toEqual([]);
  expect((await read({ key: limited.key }, '/alerts')).body.data).toEqual([]);
});

test('a search does not match hidden parts of an address', async () => {
  const viewer = await createMember(harness, ada, 'viewer');
  const found = async (search: string): Promise<number> =>
    (await read(viewer, `/webhooks?search=${search}`)).body.pagination.total;
  expect(await found('T0K3N')).toBe(0);
  expect(await found('services')).toBe(0);
  expect(await found('HOOKS.example')).toBe(3);
  expect(await found('ours')).toBe(1);
  const page = await read(viewer, '/webhooks?limit=2&page=2');
  expect(page.body).toMatchObject({ count: 1, pagination: { total: 3 } });
});
