// If-Match: a change of what others have changed since it was read is refused, on every resource that is edited by forms.
import { beforeAll, expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk, createAgent } from '../../setup/personas.ts';
import { toOutcome } from '../../setup/start-app.ts';

const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
const call = (method: string, path: string, body?: object, match?: string) =>
  app.call(method, `/api/v1${path}`, {
    token: ada.token,
    ...(body && { body }),
    ...(match !== undefined && { headers: { 'if-match': match } }),
  });
const make = async (path: string, body: object) =>
  assertOk(await call('POST', path, body)).body.data._id as string;

interface Edited {
  method?: 'PUT';
  path: string;
  /** Where it is read; absent: at its path. */
  list?: string;
  changes: [object, object];
}
const edited: Record<string, Edited> = {};
beforeAll(async () => {
  const { id: agent } = await createAgent(app, ada);
  const condition = { field: 'status', operator: 'eq', value: 'blocked' };
  const actions = [{ type: 'email', target: ada.email }];
  const alert = await make('/alerts', { name: 'Blocked', condition, actions });
  const policy = await make('/policies', {
    name: 'Big',
    conditions: [{ field: 'confidenceScore', operator: 'less_than', value: 0.1 }],
    actions: [{ type: 'flag_for_review' }],
  });
  const incident = {
    title: 'Leak',
    severity: 'high',
  };
  await call('PUT', '/policy-lists/partners', { values: ['a'] });
  const names = (text: string): [object, object] => [{ name: text }, { name: `${text} 2` }];
  Object.assign(edited, {
    agent: { path: `/agents/${agent}`, changes: names('Till') },
    'agent overrides': {
      path: `/agents/${agent}/policies`,
      list: `/agents/${agent}`,
      changes: [{ strictMode: true }, { strictMode: false }],
    },
    alert: { path: `/alerts/${alert}`, list: '/alerts', changes: names('Stopped') },
    policy: { path: `/policies/${policy}`, changes: names('Bigger') },
    workspace: { path: `/workspaces/${ada.workspaceId}`, list: '/workspaces', changes: names('W') },
    organization: { path: '/organization', changes: names('Ada and others') },
    list: {
      method: 'PUT',
      path: '/policy-lists/partners',
      changes: [{ values: ['b'] }, { values: ['c'] }],
    },
    incident: {
      path: `/incidents/${await make('/incidents', incident)}`,
      changes: [{ title: 'Leak 2' }, { title: 'Leak 3' }],
    },
  } satisfies Record<string, Edited>);
});

const read = async ({ path, list }: Edited): Promise<string> => {
  const { data } = assertOk(await call('GET', list ?? path)).body;
  const id = path.split('/')[2];
  const found = Array.isArray(data) ? data.find(({ _id }: { _id: string }) => _id === id) : data;
  return found.updatedAt as string;
};

test.each([
  'agent',
  'agent overrides',
  'alert',
  'policy',
  'workspace',
  'organization',
  'list',
  'incident',
])('%s: the second writer is refused, and writes nothing', async (name) => {
  const one = edited[name]!;
  const { method = 'PATCH', path, changes } = one;
  const readAt = await read(one);
  assertOk(await call(method, path, changes[0], `"${readAt}"`));
  const changedAt = await read(one);
  const refused = await call(method, path, changes[1], `"${readAt}"`);
  expect(toOutcome(refused)).toEqual([412, 'CHANGED_SINCE']);
  expect(refused.body.data).toEqual({ updatedAt: changedAt });
  expect(await read(one)).toBe(changedAt);
  assertOk(await call(method, path, changes[1], `"${changedAt}"`));
});

test('of two writers at the same moment one is refused; without the header the last one wins', async () => {
  const one = edited['agent']!;
  const match = `"${await read(one)}"`;
  const both = await Promise.all(
    ['x', 'y'].map((name) => call('PATCH', one.path, { name }, match)),
  );
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 412]);
  assertOk(await call('PATCH', one.path, { name: 'z' }));
  assertOk(await call('PATCH', one.path, { name: 'z' }, '*'));
});

test.each(['2026-12-01', '"yesterday"', '"'])('If-Match %s is refused', async (match) => {
  const refused = await call('PATCH', edited['agent']!.path, { name: 'q' }, match);
  expect(toOutcome(refused)).toEqual([400, 'VALIDATION_ERROR']);
});
