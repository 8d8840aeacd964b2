// Where the values of an action come from: what the harness saw decides, by what is sealed of the results it was seen in.
// @module-tag long
import { expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import {
  assertOk,
  buildDecision,
  createAgent,
  createOwner,
  type Owner,
} from '../../setup/personas.ts';
import type { Answer } from '../../setup/start-app.ts';

const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);

type Agent = Awaited<ReturnType<typeof createAgent>>;

async function guard({ token }: Owner): Promise<void> {
  const tools = {
    read_mail: { gives: ['untrusted'], outside: ['*.body'] },
    read_page: { gives: ['untrusted'] },
    list_people: { directory: true },
    send_mail: { does: ['outbound'], roles: { body: 'content' } },
    reserve: { does: ['book'] },
    remove: { does: ['delete'], roles: { id: 'object' } },
  };
  for (const [name, entry] of Object.entries(tools)) {
    const body = { entries: [{ does: [], gives: [], ...entry }] };
    assertOk(await app.call('PUT', `/api/v1/tools/${name}`, { token, body }));
  }
  for (const templateId of ['proven-values', 'bookings-asked-for', 'deletions-asked-for'])
    assertOk(
      await app.call('POST', '/api/v1/policies/from-template', { token, body: { templateId } }),
    );
}

/** An agent of a guarded organisation, and how it decides in one session. */
async function useSession(owner: Owner, sessionId: string | undefined, by?: Agent) {
  const agent = by ?? (await createAgent(app, owner));
  const decide = (tool: string, given: object = {}, values?: object, bytes = 0) => {
    const outputDecision = { action: { tool, arguments: given } };
    const origins = values && { promptSeen: true, values };
    const body = buildDecision(agent.id, { outputDecision, sessionId, origins });
    // Blanks make a body large and mean nothing.
    const raw = JSON.stringify(body).padEnd(bytes);
    return app.call('POST', '/api/v1/traces', { key: agent.key, raw });
  };
  const read = async (tool: string): Promise<string> =>
    assertOk(await decide(tool)).body.data.traceId;
  return { agent, decide, read };
}

const statusOf = ({ body }: Answer): string => body.data.status;

test('a value passes where a person or an own tool vouches for it, and is held where none does', async () => {
  await guard(ada);
  const { decide, read } = await useSession(ada, 'mail');
  const to = { to: 'eve@example.org' };
  // Nothing of outsiders was read yet.
  expect(statusOf(await decide('send_mail', to))).toBe('approved');
  const mail = await read('read_mail');
  const page = await read('read_page');
  const people = await read('list_people');
  const decided = async (sources: string[]) =>
    statusOf(await decide('send_mail', to, { '/arguments/to': sources }));
  expect(statusOf(await decide('send_mail', to))).toBe('flagged');
  expect(await decided([])).toBe('flagged');
  expect(await decided(['prompt'])).toBe('approved');
  expect(await decided([`${mail}#/*/sender`])).toBe('approved');
  expect(await decided([`${mail}~/*/body`])).toBe('flagged');
  expect(await decided([`${page}#/title`])).toBe('flagged');
  expect(await decided([`${people}#/*/mail`])).toBe('approved');
  expect(await decided([`${mail}#/*/sender`, 'more'])).toBe('flagged');
});

test('a result counts in its own session alone', async () => {
  const owner = await createOwner(app, 'Sessions');
  await guard(owner);
  const one = await useSession(owner, 'one');
  const other = await useSession(owner, 'other', one.agent);
  const elsewhere = await createOwner(app, 'Elsewhere');
  await guard(elsewhere);
  const foreign = await (await useSession(elsewhere, 'one')).read('list_people');
  await one.read('read_page');
  await other.read('read_page');
  const people = await one.read('list_people');
  const send = (at: typeof one, traceId: string) =>
    at.decide('send_mail', { to: 'a' }, { '/arguments/to': [`${traceId}#/*`] });
  expect(statusOf(await send(one, people))).toBe('approved');
  expect(statusOf(await send(other, people))).toBe('flagged');
  expect(statusOf(await send(one, foreign))).toBe('flagged');
  expect(statusOf(await send(one, `trc_${'0'.repeat(32)}`))).toBe('flagged');
});

test('what is booked or deleted has to be asked for, even where an own tool names it', async () => {
  const owner = await createOwner(app, 'Asked');
  await guard(owner);
  const { decide, read } = await useSession(owner, 'trip');
  const mail = await read('read_mail');
  const inside = [`${mail}#/*/sender`];
  for (const [tool, name] of [
    ['reserve', 'hotel'],
    ['remove', 'id'],
  ] as const) {
    const judge = (sources: string[]) =>
      decide(tool, { [name]: 'Ritz' }, { [`/arguments/${name}`]: sources });
    expect(statusOf(await judge(inside))).toBe('flagged');
    expect(statusOf(await judge(['prompt']))).toBe('approved');
  }
});

test('links of a text count one by one, in a large body as in a small one', async () => {
  const owner = await createOwner(app, 'Texts');
  await guard(owner);
  const { decide, read } = await useSession(owner, 'texts');
  const mail = await read('read_mail');
  const given = { body: 'See https://a.example and b@c.example.' };
  for (const bytes of [0, 150_000]) {
    const say = async (atoms: string[][]) => {
      const values = { '/arguments/body': { whole: [], atoms } };
      return statusOf(await decide('send_mail', given, values, bytes));
    };
    expect(await say([['prompt'], [`${mail}#/*/sender`]])).toBe('approved');
    expect(await say([['prompt'], [`${mail}~/*/body`]])).toBe('flagged');
    expect(await say([['prompt']])).toBe('flagged');
  }
});

test('of a value 64 places are taken', async () => {
  const owner = await createOwner(app, 'Places');
  await guard(owner);
  const { decide, read } = await useSession(owner, 'places');
  const own = await read('list_people');
  await read('read_page');
  const places = Array.from({ length: 63 }, (_, at) => `${own}~/${at}`);
  const send = (...said: string[]) =>
    decide('send_mail', { to: 'jo@example.org' }, { '/arguments/to': said });
  expect(statusOf(await send('prompt~', ...places))).toBe('approved');
  expect(statusOf(await send('prompt~'))).toBe('flagged');
  expect(statusOf(await send(...places, 'more'))).toBe('flagged');
});

test('what was said and what it came to is sealed, shown, explained and replayed', async () => {
  const owner = await createOwner(app, 'Sealed');
  await guard(owner);
  const { token } = owner;
  const { decide, read } = await useSession(owner, undefined);
  await read('read_page');
  const values = { '/arguments/to': [] };
  const { traceId } = assertOk(await decide('send_mail', { to: 'x' }, values)).body.data;
  const { data } = assertOk(await app.call('GET', `/api/v1/traces/${traceId}`, { token })).body;
  expect(data.origins).toEqual({ promptSeen: true, values });
  const explained = assertOk(
    await app.call('GET', `/api/v1/traces/${traceId}/explanation`, { token }),
  );
  const proven = explained.body.data.policies.find(
    ({ name }: { name: string }) => name === 'Proven values',
  );
  expect(proven).toMatchObject({
    outcome: 'acted',
    explanation: [{ actual: '["untrusted"]' }, { actual: '["destination"]' }],
  });
  const checked = assertOk(await app.call('POST', '/api/v1/hash-chain/verify', { token }));
  expect(checked.body.data).toMatchObject({ ok: true });
  const policy = {
    name: 'Unproven destinations',
    conditions: [{ field: 'action.unproven', operator: 'contains', value: 'destination' }],
    actions: [{ type: 'block' }],
  };
  const path = '/api/v1/policies/_new/replay';
  const started = assertOk(await app.call('POST', path, { token, body: { policy } }));
  await app.instance.runJobsOnce();
  const replay = `/api/v1/policies/replays/${started.body.data.id}`;
  expect(assertOk(await app.call('GET', replay, { token })).body.data).toMatchObject({
    total: 2,
    cannotTell: 0,
    allowToBlock: 1,
  });
});

test.each<[string, object, string]>([
  ['a pointer without a slash', { to: ['prompt'] }, 'origins.values'],
  ['a source that is no place', { '/to': ['user'] }, 'origins.values./to'],
  [
    'sixty-five places',
    { '/to': Array.from({ length: 65 }, () => 'prompt') },
    'origins.values./to',
  ],
  ['a text without atoms', { '/to': { whole: [] } }, 'origins.values./to'],
  [
    'sixty-five values',
    Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`/a${at}`, []])),
    'origins.values',
  ],
])('refuses %s, and says where', async (_what, values, path) => {
  const { decide } = await useSession(ada, 'bad');
  const answer = await decide('send_mail', { to: 'x' }, values);
  expect(answer.status).toBe(400);
  expect(JSON.stringify(answer.body)).toContain(path);
});
