// The proxy on stdio before a server, and behind a client, that write what the protocol allows and what it does not.
// @module-tag long
import { describe, expect, test } from 'vitest';
import { MESSAGE_BYTES_MAX } from '../../../packages/cli/src/mcp/messages.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk } from '../../setup/personas.ts';
import { useGuards } from '../../sdk/typescript/sdk-stage.ts';
import { useProxies } from './proxy-stage.ts';
import { type LineClient, type Message, readText, type Say, toText } from './raw-clients.ts';

const harness = useHarness();
const ada = useOwner(harness);
const { app } = harness;
const { agent, decideNext, findHeld, read, listExecutions } = useGuards(harness, ada);
const { openStdio } = useProxies();

const EXACT = '{"b":1234567890123456789,"a":1.0,"c":1e400,"d":-0,"s":"\\u00e9"}';
const BIG = 'x'.repeat(3_000_000);

interface Server {
  client: LineClient;
  /** The calls that arrived, as they were written. */
  ran: string[];
  say: Say;
}

type Scripts = Record<string, (message: Message, say: Say) => void>;

/** A proxy whose server answers a tool by its script, in a session that has begun. */
async function connect(scripts: Scripts, options = {}): Promise<Server> {
  const ran: string[] = [];
  let tell: Say = () => undefined;
  const client = await openStdio(
    { url: app.url, key: agent.key, agent: agent.id, ...options },
    (message, say, line) => {
      tell = say;
      if (message.method === 'tools/call') ran.push(line);
      const script = scripts[message.params?.name ?? message.method ?? ''];
      if (script) script(message, say);
      else if (message.id !== undefined) say(toLine(message, toText('done')));
    },
  );
  await client.ask('initialize', { protocolVersion: '2025-06-18', capabilities: {} });
  return { client, ran, say: (bytes) => tell(bytes) };
}

const toLine = ({ id }: Message, answer: object): string =>
  `${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`;

/** The newest decision about a tool. */
async function findDecision(tool: string): Promise<string> {
  const { data } = assertOk(
    await app.call('GET', '/api/v1/traces?limit=20', { token: ada.token }),
  ).body;
  const rows = (data.traces ?? data.items ?? data) as {
    traceId: string;
    outputDecision: { action: { tool: string } };
  }[];
  return rows.find(({ outputDecision: { action } }) => action.tool === tool)!.traceId;
}

/** Calls the tool whose approval lasts for one call, so that its outcome is on record. */
async function callOnce(
  client: LineClient,
  args = {},
): Promise<{ answer: Message; state: string }> {
  const held = await client.call('issue_refund', args);
  const decision = held.result!._meta!['dev.assay/decision']!;
  await decideNext({ decision: 'approve' }, decision);
  const answer = await client.call('assay_await', { decision });
  await client.close();
  const [execution] = await listExecutions(decision);
  return { answer, state: execution.state as string };
}

describe('what a server says', () => {
  test.each<[string, (message: Message, say: Say) => void, string]>([
    ['in three megabytes', (message, say) => say(toLine(message, toText(BIG))), BIG],
    [
      'after spaces, with CRLF',
      (message, say) => say(`  \t${toLine(message, toText('paid')).replace('\n', '\r\n')}`),
      'paid',
    ],
    [
      'after a byte order mark',
      (message, say) => say(`\uFEFF${toLine(message, toText('paid'))}`),
      'paid',
    ],
    [
      'byte by byte',
      (message, say) => {
        for (const byte of Buffer.from(toLine(message, toText('paid')))) say(Buffer.of(byte));
      },
      'paid',
    ],
    [
      'between notifications and noise',
      (message, say) => {
        say('Listening on stdio\n{"half":\n\n  \n[1]\nnull\n"text"\n7\n');
        say('{"jsonrpc":"2.0","method":"notifications/message","params":{"data":1}}\n');
        say(`${toLine(message, toText('paid'))}{"jsonrpc":"2.0","method":"notifications/late"}\n`);
      },
      'paid',
    ],
    [
      'among others in a list',
      (message, say) =>
        say(
          `[{"jsonrpc":"2.0","method":"notifications/message"},${toLine(message, toText('paid')).trim()}]\n`,
        ),
      'paid',
    ],
    [
      'after an answer of another id',
      (message, say) => {
        say(toLine({ id: 4_711 }, toText('other')));
        say(toLine({ id: String(message.id) }, toText('other')));
        say(toLine({ id: null }, toText('other')));
        say(toLine(message, toText('paid')));
      },
      'paid',
    ],
    [
      'twice, each time something else',
      (message, say) => say(toLine(message, toText('paid')) + toLine(message, toText('not paid'))),
      'paid',
    ],
    [
      'and ends',
      (message, say) => {
        say(toLine(message, toText('paid')));
        say(null);
      },
      'paid',
    ],
    [
      'and ends before the end of the line',
      (message, say) => {
        say(toLine(message, toText('paid')).trim());
        say(null);
      },
      'paid',
    ],
  ])('%s is the answer', async (_, script, words) => {
    const { client, ran } = await connect({ issue_refund: script });
    const { answer, state } = await callOnce(client);
    expect(readText(answer) === words).toBe(true);
    expect([state, ran.length]).toEqual(['succeeded', 1]);
    const own = client.lines.filter((line) => line.includes(`"id":${String(answer.id)}`));
    expect(own).toHaveLength(1);
  });

  test.each<[string, (message: Message, say: Say) => void]>([
    ['ends', (_, say) => say(null)],
    [
      'ends within its answer',
      (message, say) => {
        say(toLine(message, toText('paid')).slice(0, 40));
        say(null);
      },
    ],
    [
      'answers in no form that is known',
      (message, say) => say(toLine(message, { result: 'paid' })),
    ],
  ])('a call whose server %s may have run', async (_, script) => {
    const { client, ran } = await connect({ issue_refund: script });
    const { answer, state } = await callOnce(client);
    expect(readText(answer)).not.toContain('did not run');
    expect([state, ran.length]).toEqual(['unknown', 1]);
  });

  test('an error, and a result that says so, are failures', async () => {
    for (const failure of [
      { error: { code: -32_000, message: 'no' } },
      { result: { isError: true, content: [] } },
    ]) {
      const { client } = await connect({
        issue_refund: (message, say) => say(toLine(message, failure)),
      });
      expect((await callOnce(client)).state).toBe('failed');
    }
  });

  test('bytes that are no UTF-8, and noise, pass as they are', async () => {
    const noise = Buffer.from([0xff, 0xfe, 0x41, 10]);
    const { client } = await connect({
      look_up: (message, say) => {
        say(noise);
        const [head, tail] = toLine(message, toText('a|b')).split('|') as [string, string];
        say(Buffer.concat([Buffer.from(head), Buffer.of(0xff), Buffer.from(tail)]));
      },
    });
    await client.call('look_up');
    const bytes = Buffer.concat(client.bytes);
    expect([bytes.includes(noise), bytes.includes(Buffer.of(97, 0xff, 98))]).toEqual([true, true]);
  });

  test('an answer to a call that is held is none', async () => {
    const { client, ran, say } = await connect({}, { wait: '50' });
    void client.call('issue_refund', {}, 'guessed');
    await findHeld();
    say(toLine({ id: 'guessed' }, toText('paid')));
    say(toLine({ id: 'marker' }, toText('marker')));
    await client.waitFor('marker');
    expect(ran).toEqual([]);
    expect(client.lines.filter((line) => line.includes('"paid"'))).toEqual([]);
  });
});

const toCall = (name: string, id: string | number = 90): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":"tools/call","params":{"name":"${name}","arguments":{}}}`;

describe('what a client says', () => {
  test.each([
    ['no JSON', 'hello'],
    ['a batch', `[${toCall('wire')},${toCall('look_up', 91)}]`],
    ['an empty batch', '[]'],
    ['a text', '"tools/call"'],
    ['two messages on a line', `${toCall('look_up')}${toCall('look_up', 91)}`],
    ['a call without an id', toCall('look_up').replace('"id":90,', '')],
    ['a call whose id is null', toCall('look_up').replace('90', 'null')],
    ['a call without a name', toCall('look_up').replace('"name":"look_up",', '')],
    ['a member twice', toCall('look_up').replace('"id":90', '"id":90,"id":91')],
    ['a method in another spelling', toCall('look_up').replace('method', 'Method')],
    ['half a character', toCall('look_up').replace('{}', '{"a":"\\ud83d"}')],
    [
      'bytes that are no UTF-8',
      Buffer.from(toCall('look_up').replace('look_up', '\xff'), 'latin1'),
    ],
  ])('%s reaches no server, and has an answer', async (_, line) => {
    const { client, ran } = await connect({});
    const before = client.lines.length;
    client.write(Buffer.concat([Buffer.from(line), Buffer.of(10)]));
    await expect.poll(() => client.lines.length).toBeGreaterThan(before);
    const answer = JSON.parse(client.lines.at(-1)!) as Message;
    expect(answer.error ?? answer.result).toBeDefined();
    expect(ran).toEqual([]);
    expect(readText(await client.call('look_up'))).toBe('done');
  });

  test('what some servers would take for a line of its own is none', async () => {
    const { client, ran } = await connect({});
    client.write(`{"jsonrpc":"2.0","method":"notifications/x","params":\r${toCall('wire')}\r}\n`);
    client.write(`{"jsonrpc":"2.0","id":"last","method":"ping"}\r\n`);
    await client.waitFor('last');
    expect(ran).toEqual([]);
  });

  test('a line that has not ended is no call', async () => {
    const { client, ran } = await connect({});
    client.write(toCall('look_up'));
    expect(await client.close()).toBe(true);
    expect(ran).toEqual([]);
  });

  test('a call goes on byte by byte; the action has large numbers as text', async () => {
    const { client, ran } = await connect({
      exact: (message, say) =>
        say(
          `{ "jsonrpc":"2.0","id":${String(message.id)},"result":{"structuredContent":${EXACT}}}\n`,
        ),
    });
    const line = toCall('exact', 1).replace('{}', EXACT).replace('"id"', ' "id" ');
    client.write(`${line}\n`);
    await client.waitFor(1);
    expect([ran, client.lines.at(-1)]).toEqual([[line], expect.stringContaining(EXACT)]);
    const { action } = (await read(await findDecision('exact'))).outputDecision;
    expect(action.arguments).toEqual({ a: 1, b: '1234567890123456789', c: '1e400', d: 0, s: 'é' });
  });

  test.each([
    ['1.0', '1'],
    ['1e2', '100'],
    ['1234567890123456789', '1234567890123456789'],
    ['"1234567890123456789"', '"1234567890123456789"'],
  ])('the answer to the id %s is that of %s', async (asked, answered) => {
    const { client } = await connect({
      issue_refund: (_, say) => say(`{"jsonrpc":"2.0","id":${answered},"result":{"content":[]}}\n`),
    });
    const held = await client.call('issue_refund');
    const decision = held.result!._meta!['dev.assay/decision']!;
    await decideNext({ decision: 'approve' }, decision);
    const wait = toCall('assay_await').replace('{}', JSON.stringify({ decision }));
    client.write(`${wait.replace('90', asked)}\n`);
    await expect
      .poll(() => client.lines.join())
      .toContain(`"id":${answered},"result":{"content":[]}`);
    await client.close();
    expect(await listExecutions(decision)).toMatchObject([{ state: 'succeeded' }]);
  });

  test('a call that is cancelled while it runs may have run, and a later answer changes nothing', async () => {
    let answerLate = (): void => undefined;
    const { client, ran } = await connect({
      issue_refund: (message, say) => {
        answerLate = () => say(toLine(message, toText('paid')));
      },
    });
    const held = await client.call('issue_refund');
    const decision = held.result!._meta!['dev.assay/decision']!;
    await decideNext({ decision: 'approve' }, decision);
    const calling = client.call('assay_await', { decision }, 'long');
    await expect.poll(() => ran).toHaveLength(1);
    const params = { requestId: 'long' };
    client.write(
      `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params })}\n`,
    );
    expect(readText(await calling)).toContain('may have run');
    answerLate();
    await client.close();
    expect(await listExecutions(decision)).toMatchObject([{ state: 'unknown' }]);
  });

  test('a call before the session has begun runs nothing', async () => {
    const ran: string[] = [];
    const client = await openStdio(
      { url: app.url, key: agent.key, agent: agent.id },
      (message, say, line) => {
        if (message.method === 'tools/call') ran.push(line);
        const info = { result: { serverInfo: { name: 'late' } } };
        if (message.method === 'initialize') setTimeout(() => say(toLine(message, info)), 50);
        else say(toLine(message, toText('done')));
      },
    );
    const early = await client.call('named');
    expect([readText(early), ran]).toEqual([expect.stringContaining('initialize'), []]);
    // What comes with the greeting waits for its answer.
    const [, answer] = await Promise.all([client.ask('initialize'), client.call('named')]);
    expect(readText(answer)).toBe('done');
    const { action } = (await read(await findDecision('named'))).outputDecision;
    expect(action.server).toBe('late');
  });

  test('requests that the server leaves open have an answer when it ends', async () => {
    const { client } = await connect({
      'tools/list': () => undefined,
      stop: (_, say) => say(null),
    });
    const listing = client.list();
    expect(readText(await client.call('stop'))).toContain('may have run');
    expect((await listing).error?.message).toContain('ended');
    expect(await client.ended).toBe(false);
  });
});

describe('a line that is too long to be read', { tags: ['long'] }, () => {
  const tooLong = 'x'.repeat(MESSAGE_BYTES_MAX + 1);

  test('of a client has an answer, and the session goes on', async () => {
    const { client, ran } = await connect({});
    client.write(toCall('look_up').replace('{}', `{"a":"${tooLong}"}`));
    client.write('\n');
    await expect.poll(() => client.lines.join()).toContain('more than');
    expect(ran).toEqual([]);
    expect(readText(await client.call('look_up'))).toBe('done');
  });

  test('of a server may be any answer: the call may have run, and the session goes on', async () => {
    const { client } = await connect({
      issue_refund: (message, say) => say(toLine(message, toText(tooLong))),
      look_up: (message, say) => say(toLine(message, toText('done'))),
    });
    const held = await client.call('issue_refund');
    const decision = held.result!._meta!['dev.assay/decision']!;
    await decideNext({ decision: 'approve' }, decision);
    expect(readText(await client.call('assay_await', { decision }))).toContain('may have run');
    expect(readText(await client.call('look_up'))).toBe('done');
    await client.close();
    expect(await listExecutions(decision)).toMatchObject([{ state: 'unknown' }]);
  });
});
