// The event stream tells of halts and resumptions, and each reader only of those that concern it.
import { afterEach, beforeAll, expect, test } from 'vitest';
import { createMember } from '../../../setup/harness.ts';
import { useHarness, useOwner } from '../../../setup/fixtures.ts';
import {
  assertOk,
  buildDecision,
  createAgent,
  createWorkspaceKey,
  type Owner,
} from '../../../setup/personas.ts';
import { type EventReader, openReader } from './event-reader.ts';

const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
let ben: Owner;
let till: { id: string; name: string; key: string };
let other: { id: string; name: string; key: string };
let whole: { key: string };
beforeAll(async () => {
  ben = await createMember(harness, ada, 'admin');
  till = await createAgent(app, ada);
  other = await createAgent(app, ada);
  whole = await createWorkspaceKey(app, ada);
});

const readers: EventReader[] = [];
afterEach(async () => {
  const closing = readers.splice(0);
  for (const each of closing) each.close();
  await expect.poll(() => closing.every((each) => each.hasEnded())).toBe(true);
});
async function follow(key: string, query = '?events=halt', headers = {}): Promise<EventReader> {
  const url = `${app.url}/api/v1/traces/stream${query}`;
  const opened = await openReader(url, { 'x-api-key': key, ...headers });
  expect(opened.status).toBe(200);
  readers.push(opened);
  return opened;
}
const listHalts = ({ events }: EventReader) => events.filter(({ event }) => event === 'halt');
const listStates = (from: EventReader) => listHalts(from).map(({ data }) => data.state);

async function halt(body: object) {
  const made = await app.call('POST', '/api/v1/halts', { token: ada.token, body });
  return assertOk(made).body.data;
}
async function letGoOn(id: string): Promise<void> {
  const resume = (token: string, body: object) =>
    app.call('POST', `/api/v1/halts/${id}/resume`, { token, body });
  const asked = assertOk(await resume(ada.token, { to: 'resumed' })).body.data;
  const { digest: confirm } = asked.resumption;
  assertOk(await resume(ben.token, { to: 'resumed', confirm }));
}
const ingest = async (more = {}) => {
  const body = buildDecision(till.id, more);
  return assertOk(await app.call('POST', '/api/v1/traces', { key: till.key, body })).body.data;
};

test('a halt and its resumption are events with the sequences of their entries', async () => {
  const [all, own] = [await follow(whole.key, ''), await follow(till.key)];
  const { id, hashChain } = await halt({ scope: 'agent', target: till.id, reason: 'It loops' });
  await letGoOn(id);
  await expect.poll(() => listStates(all)).toEqual(['halted', 'resumed']);
  await expect.poll(() => listStates(own)).toEqual(['halted', 'resumed']);
  expect(listHalts(own)[0]).toEqual({
    event: 'halt',
    id: String(hashChain.sequence),
    data: {
      haltId: id,
      scope: 'agent',
      state: 'halted',
      at: expect.any(String),
      sequence: hashChain.sequence,
      reason: 'It loops',
      workspaceId: null,
      agentId: till.id,
      sessionId: null,
      userId: null,
    },
  });
  expect(listHalts(all)[0]).toEqual(listHalts(own)[0]);
});

test('a reader hears of what concerns it alone, and of halts alone where it asked for them', async () => {
  const [first, second] = [await follow(till.key), await follow(other.key)];
  await ingest();
  const one = await halt({ scope: 'agent', target: till.id });
  await letGoOn(one.id);
  const person = await halt({ scope: 'person', target: ben.userId });
  await letGoOn(person.id);
  const everything = await halt({ scope: 'organization' });
  await letGoOn(everything.id);
  const readScopes = (from: EventReader) => from.events.map(({ data }) => data.scope);
  await expect
    .poll(() => readScopes(first))
    .toEqual(['agent', 'agent', 'organization', 'organization']);
  await expect.poll(() => readScopes(second)).toEqual(['organization', 'organization']);
  expect(first.events.every(({ event }) => event === 'halt')).toBe(true);
});

test('a session is named as its decisions name it', async () => {
  const own = await follow(till.key);
  const { traceId } = await ingest({ sessionId: 'talk-1' });
  const { id } = await halt({ scope: 'session', target: traceId });
  await letGoOn(id);
  await expect.poll(() => listStates(own)).toEqual(['halted', 'resumed']);
  for (const { data } of listHalts(own))
    expect(data).toMatchObject({ scope: 'session', agentId: till.id, sessionId: 'talk-1' });
});

test('a reader that comes back gets the halts that it missed, and no entry between them', async () => {
  const { hashChain } = await ingest();
  const { id } = await halt({ scope: 'agent', target: till.id });
  await letGoOn(id);
  for (let each = 0; each < 20; each += 1) await ingest();
  const late = await follow(till.key, '?events=halt', {
    'last-event-id': String(hashChain.sequence),
  });
  await expect.poll(() => listStates(late)).toEqual(['halted', 'resumed']);
  expect(late.events).toHaveLength(2);
});

test('more agents of one key may wait for halts than a person may have streams', async () => {
  const opened = await Promise.all(Array.from({ length: 12 }, () => follow(till.key)));
  const { id } = await halt({ scope: 'agent', target: till.id });
  for (const each of opened) await expect.poll(() => listStates(each)).toEqual(['halted']);
  await letGoOn(id);
});

test('another kind of events is refused with the kinds that there are', async () => {
  const refused = await app.call('GET', '/api/v1/traces/stream?events=review', { key: till.key });
  expect(refused.status).toBe(400);
  expect(JSON.stringify(refused.body)).toContain('halt');
});
