// The tool catalogue over HTTP: what is listed, by whom, within which bounds, and what a digest stands for.
import { expect, test } from 'vitest';
import { loadCatalogue } from '../../../src/policies/tools/tool-sets.service.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { createMember, listAuditEntries } from '../../setup/harness.ts';
import { assertOk, createOwner, type Owner } from '../../setup/personas.ts';
import type { Answer } from '../../setup/start-app.ts';

const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
const eve = useOwner(harness, 'Eve');

const at = (name: string): string => `/tools/${encodeURIComponent(name)}`;
const call = (
  method: string,
  path: string,
  who: Owner,
  body?: unknown,
  workspaceId?: string,
): Promise<Answer> =>
  app.call(method, `/api/v1${path}`, {
    token: who.token,
    ...(body !== undefined && { body }),
    ...(workspaceId !== undefined && { headers: { 'x-workspace-id': workspaceId } }),
  });
const MAIL = { does: ['outbound'], gives: [] };
const put = (name: string, entry: object, who = ada): Promise<Answer> =>
  call('PUT', at(name), who, { entries: [entry] });
const list = async (who: Owner, query = '', workspaceId?: string) =>
  assertOk(await call('GET', `/tools${query}`, who, undefined, workspaceId)).body.data;
const refusal = (status: number, code: string, message = /./) => ({
  status,
  body: { code, error: expect.stringMatching(message) as string },
});
const load = (owner: Owner, workspaces: string | [string, string] = owner.workspaceId) =>
  loadCatalogue(app.instance.platform, { organizationId: owner.organizationId, workspaces });

test('a tool is listed with the strictest reading of what is left out, replaced, found and taken off', async () => {
  const made = assertOk(await put('sendEmail', { ...MAIL, roles: { body: 'content' } }));
  expect(made.body.data).toMatchObject({
    name: 'sendEmail',
    workspaceId: ada.workspaceId,
    description: '',
    entries: [
      {
        server: null,
        match: {},
        does: ['outbound'],
        gives: [],
        outside: null,
        directory: false,
        roles: { body: 'content' },
        after: [],
      },
    ],
  });
  const two = {
    description: 'Writes to people',
    entries: [
      { ...MAIL, server: 'mail' },
      { ...MAIL, server: 'mail', match: { 'arguments.to': '@example\\.org$' } },
    ],
  };
  assertOk(await call('PUT', at('send_email'), ada, two));
  expect(await list(ada)).toMatchObject([
    { name: 'send_email', description: 'Writes to people', entries: [{}, {}] },
  ]);
  assertOk(await put('read_file', { does: [], gives: ['private'] }));
  expect((await list(ada, '?server=mail')).map(({ name }: { name: string }) => name)).toEqual([
    'send_email',
  ]);
  expect(await list(ada, '?search=FILE')).toHaveLength(1);
  expect(await list(eve)).toEqual([]);
  expect(await call('DELETE', at('read_file'), eve)).toMatchObject(refusal(404, 'NOT_FOUND'));
  expect((await call('DELETE', at('readFile'), ada)).body.data).toEqual({
    name: 'read_file',
    deleted: true,
  });
  expect(await call('DELETE', at('read_file'), ada)).toMatchObject(refusal(404, 'NOT_FOUND'));
  const audited = (await listAuditEntries(app, ada, 'resource=tool')).map(({ action }) => action);
  expect(audited).toEqual(['tool.delete', 'tool.put', 'tool.put', 'tool.put']);
});

test('who may change tools, and who may read them', async () => {
  const owner = await createOwner(app, 'Rolf');
  for (const role of ['admin', 'reviewer', 'member', 'viewer'] as const) {
    const who = await createMember(harness, owner, role);
    const answer = await put(`by_${role}`, MAIL, who);
    if (role === 'admin') assertOk(answer);
    else expect(answer).toMatchObject(refusal(403, 'FORBIDDEN'));
    expect(await list(who)).toHaveLength(1);
  }
});

test.for<[string, object, RegExp]>([
  ['an unknown member', { ...MAIL, doess: [] }, /doess/],
  ['no effects', { gives: [] }, /entries\.0\.does/],
  ['no labels', { does: [] }, /entries\.0\.gives/],
  ['an unknown effect', { does: ['harm'], gives: [] }, /entries\.0\.does\.0/],
  ['a label with a blank', { does: [], gives: ['very secret'] }, /entries\.0\.gives\.0: .*word/],
  ['too many labels', { does: [], gives: [...'abcdefghi'] }, /entries\.0\.gives: .*at most 8/],
  ['an unknown role', { ...MAIL, roles: { to: 'person' } }, /entries\.0\.roles\.to/],
  ['a pattern of no argument', { ...MAIL, match: { command: 'x' } }, /match\.command: .*arguments/],
  ['a pattern that is none', { ...MAIL, match: { 'arguments.a': '(' } }, /match\.arguments\.a: /],
  ['an empty path', { ...MAIL, outside: ['a..b'] }, /entries\.0\.outside/],
  ['a server with blanks', { ...MAIL, server: ' mail ' }, /entries\.0\.server: .*characters/],
  ['a text that is too long', { ...MAIL, server: 'x'.repeat(201) }, /entries\.0\.server/],
  ['too many that come before', { ...MAIL, after: Array(51).fill('a') }, /entries\.0\.after/],
])('%s is refused with its path', async ([, entry, message]) => {
  expect(await put('strange', entry)).toMatchObject(refusal(400, 'VALIDATION_ERROR', message));
});

test('names that are none, and entries that are alike, are refused', async () => {
  for (const name of ['***', ' a', 'a\u0007b'])
    expect(await put(name, MAIL)).toMatchObject(refusal(400, 'VALIDATION_ERROR', /name: /));
  expect((await put('x'.repeat(201), MAIL)).status).toBe(404);
  const twice = { entries: [MAIL, { ...MAIL, does: [] }] };
  expect(await call('PUT', at('twice'), ada, twice)).toMatchObject(
    refusal(400, 'VALIDATION_ERROR', /entries\.1: must differ/),
  );
  expect((await call('PUT', at('none'), ada, { entries: [] })).status).toBe(400);
});

test('hostile names are names', async () => {
  const owner = await createOwner(app, 'Hob');
  const names = ['a/b', 'x.$where', '__proto__', 'naïve ☃ tool', "'; drop", '%2e%2e'];
  for (const name of names) {
    const entry = { ...MAIL, roles: { $set: 'object', 'a.*.b': 'amount' } };
    const made = await put(name, entry, owner);
    expect(assertOk(made).body.data).toMatchObject({ name, entries: [{ roles: entry.roles }] });
  }
  for (const name of names) assertOk(await call('DELETE', at(name), owner));
  expect(await list(owner)).toEqual([]);
});

test('a catalogue is compiled of the workspaces that have a say, cached, and kept by its digest', async () => {
  const owner = await createOwner(app, 'Cat');
  expect(await load(owner)).toBeNull();
  const { _id: other } = assertOk(await call('POST', '/workspaces', owner, { name: 'Other' })).body
    .data;
  expect(await load(owner, [owner.workspaceId, other])).toBeNull();

  assertOk(await put('send', MAIL, owner));
  const one = await load(owner);
  expect(one).not.toBeNull();
  expect(await load(owner)).toBe(one);
  expect(one?.describe({ action: { tool: 'send' } })).toMatchObject({
    isListed: true,
    acts: [{ tool: 'send', does: ['outbound'], gives: [] }],
  });
  expect((await load(owner, [owner.workspaceId, other]))?.digest).toBe(one?.digest);

  const elsewhere = { entries: [{ does: ['fetch'], gives: ['untrusted'] }] };
  assertOk(await call('PUT', at('send'), owner, elsewhere, other));
  expect(await list(owner)).toHaveLength(2);
  expect(await list(owner, '', other)).toMatchObject([{ workspaceId: other }]);
  const both = await load(owner, [other, owner.workspaceId]);
  expect(both?.describe({ action: { tool: 'send' } }).acts).toMatchObject([
    { does: ['fetch', 'outbound'], gives: ['untrusted'] },
  ]);
  expect((await load(owner, [owner.workspaceId, other]))?.digest).toBe(both?.digest);

  assertOk(await put('send', { ...MAIL, does: [] }, owner));
  expect((await load(owner))?.digest).not.toBe(one?.digest);
  const kept = await call('GET', `/tools/sets/${one?.digest}`, owner);
  expect(assertOk(kept).body.data).toMatchObject({
    digest: one?.digest,
    lists: [[{ name: 'send', entry: { does: ['outbound'] } }]],
  });
  const set = await call('GET', `/tools/sets/${both?.digest}`, owner);
  expect(assertOk(set).body.data.lists).toHaveLength(2);
  expect(await call('GET', `/tools/sets/${one?.digest}`, eve)).toMatchObject(
    refusal(404, 'NOT_FOUND'),
  );
});

test('of tools that are put at once, each is whole', async () => {
  const owner = await createOwner(app, 'Con');
  const bodies = [['money'], ['delete'], ['write'], ['execute']].map((does) => ({
    entries: [1, 2, 3].map((n) => ({ does, gives: [], server: `server-${n}` })),
  }));
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      call('PUT', at(n % 2 ? 'same_tool' : 'sameTool'), owner, bodies[n % bodies.length]),
    ),
  );
  for (const answer of answers) expect(answer.status).toBe(200);
  const [only, ...others] = await list(owner);
  expect(others).toEqual([]);
  const effects = only.entries.map(({ does }: { does: string[] }) => does.join());
  expect(new Set(effects).size).toBe(1);
  expect(effects).toHaveLength(3);
});

test('a catalogue has bounds', { tags: ['long'] }, async () => {
  const owner = await createOwner(app, 'Max');
  const entries = Array.from({ length: 20 }, (_, n) => ({ ...MAIL, server: `s${n}` }));
  for (let n = 0; n < 50; n++) assertOk(await call('PUT', at(`tool_${n}`), owner, { entries }));
  expect(await put('one_more', MAIL, owner)).toMatchObject(
    refusal(400, 'INVALID_OPERATION', /at most 1000 tools/),
  );
  assertOk(await call('PUT', at('tool_0'), owner, { entries }));
  assertOk(await call('DELETE', at('tool_0'), owner));
  const long = {
    entries: Array.from({ length: 20 }, (_, n) => ({
      ...MAIL,
      server: `s${n}`,
      outside: Array.from({ length: 50 }, (_, m) => `field_${m}`.padEnd(200, 'x')),
    })),
  };
  expect(await call('PUT', at('long'), owner, long)).toMatchObject(
    refusal(400, 'INVALID_OPERATION', /at most 262144 characters/),
  );
  expect((await load(owner))?.lists[0]).toHaveLength(980);
});

test('a description stays where none is given, and an empty one takes it away', async () => {
  const owner = await createOwner(app, 'Descriptions');
  for (const [description, left] of [
    ['Writes', 'Writes'],
    [undefined, 'Writes'],
    [null, 'Writes'],
    ['', ''],
  ] as const) {
    assertOk(await call('PUT', at('send_email'), owner, { description, entries: [MAIL] }));
    expect(await list(owner)).toMatchObject([{ description: left }]);
  }
});
