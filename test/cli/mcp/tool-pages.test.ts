// A list of tools on several pages is one list: a client that stops after the first adopts no half, and hides no change.
import { describe, expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk } from '../../setup/personas.ts';
import { useGuards } from '../../sdk/typescript/sdk-stage.ts';
import { type Serve, useProxies, WAYS } from './proxy-stage.ts';
import { type RawClient, readText, toText } from './raw-clients.ts';

const harness = useHarness();
const ada = useOwner(harness);
const { agent, createPolicy } = useGuards(harness, ada);
const { connect } = useProxies();

/** The changes of a server's tools that are on record, the oldest first. */
async function listChanges(server: string): Promise<object[]> {
  const { token } = ada;
  const { data } = assertOk(
    await harness.app.call('GET', '/api/v1/traces?limit=100', { token }),
  ).body;
  const rows = (data.traces ?? data.items ?? data) as {
    outputDecision: { action: { server: string; tool: string; arguments: object } };
  }[];
  return rows
    .map(({ outputDecision: { action } }) => action)
    .filter((action) => action.tool === 'mcp.tools_changed' && action.server === server)
    .map((action) => action.arguments)
    .reverse();
}

describe.each(WAYS)('over %s', (way) => {
  /** A server with three pages of one tool each, and sessions before it that know of one another. */
  function createPages(name: string, lastCursor?: null | '') {
    const words: Record<string, string> = { one: 'first', two: 'second', three: 'third' };
    const tools = ['one', 'two', 'three'];
    const serve: Serve = ({ method, params }) => {
      if (method === 'tools/call') return toText('done');
      if (method !== 'tools/list') return { result: { serverInfo: { name } } };
      const at = Number(params?.cursor ?? 0);
      const next = at < 2 ? { nextCursor: String(at + 1) } : { nextCursor: lastCursor };
      const tool = { name: tools[at]!, description: words[tools[at]!] };
      return { result: { tools: [tool], ...next } };
    };
    // The sessions of one server know one another by its name.
    const given = { url: harness.app.url, key: agent.key, agent: agent.id, server: name };
    return { words, open: () => connect(way, given, serve) };
  }

  const listAll = async (client: RawClient): Promise<void> => {
    for (const cursor of [undefined, '1', '2']) await client.list(cursor);
  };

  test('half a list is not adopted, by this session or the next', async () => {
    const { open } = createPages(`half-${way}`);
    const first = await open();
    await first.list();
    await first.list();
    await first.list('1');
    await first.close();
    const second = await open();
    await second.list();
    await listAll(second);
    await listAll(second);
    // Pages that no one asked for in their order are no list.
    await second.list('2');
    await second.list('unknown');
    expect(await listChanges(`half-${way}`)).toEqual([]);
  });

  test.each([undefined, null, ''] as const)(
    'what changed on a later page is one change (last cursor %j)',
    async (lastCursor) => {
      const name = `later-${way}-${String(lastCursor)}`;
      const { words, open } = createPages(name, lastCursor);
      const first = await open();
      await listAll(first);
      await first.close();
      words.three = 'other';
      const second = await open();
      await second.list();
      expect(await listChanges(name)).toEqual([]);
      await listAll(second);
      expect(await listChanges(name)).toMatchObject([
        { added: [], changed: ['three'], removed: [] },
      ]);
      await listAll(second);
      expect(await listChanges(name)).toHaveLength(1);
    },
  );

  test('a tool that changed on the first page is closed, also where its client stops there', async () => {
    const name = `closed-${way}`;
    const { words, open } = createPages(name);
    await createPolicy(`Tools of ${name}`, 'mcp.tools_changed', { type: 'flag_for_review' });
    const first = await open();
    await listAll(first);
    await first.close();
    words.one = 'other';
    const second = await open();
    await second.list();
    expect(readText(await second.call('one'))).toContain('changed its tool one');
    expect(readText(await second.call('two'))).toBe('done');
    expect(await listChanges(name)).toMatchObject([{ added: [], changed: ['one'], removed: [] }]);
  });
});
