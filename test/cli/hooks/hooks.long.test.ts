// `assay hook`: events as the hosts send them, one decision behind all, and holds that outlive the hook.
// @module-tag long
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { useHalts } from '../../sdk/typescript/halt-stage.ts';
import { useGuards } from '../../sdk/typescript/sdk-stage.ts';
import { answerHook, HOSTS } from '../../../packages/cli/src/hooks/answer-hook.ts';
import { HookStore } from '../../../packages/cli/src/hooks/hook-store.ts';
import { renderPlugin } from '../../../packages/cli/src/init/opencode-plugin.ts';
import { type Cli, createCli, findProgram } from '../cli-stage.ts';

type Event = Record<string, unknown>;
type Host = 'claude-code' | 'codex' | 'cursor' | 'opencode' | 'gemini-cli' | 'copilot';

const harness = useHarness();
const ada = useOwner(harness);
const { agent, createPolicy, decideNext, read, listExecutions } = useGuards(harness, ada);
const { halt, letGoOn } = useHalts(harness, ada);
const events = JSON.parse(
  await readFile(new URL('../../fixtures/hooks/events.json', import.meta.url), 'utf8'),
) as Record<Host, Record<'shell' | 'mcp' | 'after' | 'failed' | 'other', Event>>;
const hosts = Object.keys(events) as Host[];

let cli: Cli;
let store: HookStore;
beforeAll(async () => {
  const environment = { ASSAY_URL: harness.app.url, ASSAY_KEY: agent.key, ASSAY_AGENT: agent.id };
  cli = await createCli(environment);
  store = new HookStore(join(cli.folder, 'hooks'));
  // Copilot puts server and tool into one name: the settings of the folder tell them apart.
  await writeFile(join(cli.folder, '.mcp.json'), JSON.stringify({ mcpServers: { shop: {} } }));
  events.copilot.mcp.cwd = cli.folder;
  await createPolicy('Pushes', 'shell', { type: 'block', config: { reason: 'No pushes' } });
  await createPolicy('Once', 'ship', { type: 'approve', config: { singleUse: true } });
});

/** Answers an event as the command does, which has a test of its own below. */
const answer = (host: Host, event: object, wait = 0, url = harness.app.url): Promise<string> => {
  const readProfile = async () => ({ url, key: agent.key, agent: agent.id });
  return answerHook(JSON.stringify(event), { host, readProfile, wait, store });
};

/** What a host reads from an answer. */
function readVerdict(host: Host, out: string) {
  const given = out === '' ? {} : JSON.parse(out);
  if (host === 'cursor')
    return { allows: given.permission === 'allow', reason: given.agent_message };
  if (host === 'opencode') return { allows: given.allow, reason: given.reason };
  if (host === 'gemini-cli') return { allows: given.decision !== 'deny', reason: given.reason };
  const { permissionDecision: decision, permissionDecisionReason: reason } =
    given.hookSpecificOutput ?? {};
  return { allows: decision !== 'deny', reason };
}

/** The event of a call about an order of its own. */
function createCall(host: Host, order: string, tool = 'issue_refund'): Event {
  const text = JSON.stringify(events[host].mcp).replaceAll('issue_refund', tool);
  const call = JSON.parse(text.replaceAll('A-17', order)) as Event;
  for (const name of ['tool_use_id', 'callID']) if (name in call) call[name] = `call-${order}`;
  return call;
}

const getTraceId = (reason = ''): string => /trc_[0-9a-f]{32}/.exec(reason)?.[0] ?? '';

test.each(hosts)('%s: what a policy blocks is refused with the reason', async (host) => {
  const { allows, reason } = readVerdict(host, await answer(host, events[host].shell));
  expect([allows, reason]).toEqual([false, expect.stringContaining('No pushes')]);
});

test.each(hosts)('%s: a hold outlives the hook; the same call claims it, once', async (host) => {
  const call = createCall(host, `${host}-1`);
  const held = readVerdict(host, await answer(host, call));
  const traceId = getTraceId(held.reason);
  expect([held.allows, held.reason]).toEqual([false, expect.stringContaining('/console/review')]);
  expect(readVerdict(host, await answer(host, call)).reason).toContain(traceId);
  await decideNext({ decision: 'approve' }, traceId);
  // The model calls again under another id.
  const again = { ...call, ...('tool_use_id' in call && { tool_use_id: 'another' }) };
  expect(readVerdict(host, await answer(host, again)).allows).toBe(true);
  expect(await listExecutions(traceId)).toMatchObject([{ state: 'claimed' }]);
  const after = { ...again, ...events[host].after };
  expect(await answer(host, after)).toBe(HOSTS[host]!.silence);
  expect(await listExecutions(traceId)).toMatchObject([{ state: 'succeeded' }]);
  const next = readVerdict(host, await answer(host, again));
  expect(next.allows).toBe(false);
  expect(getTraceId(next.reason)).not.toBe(traceId);
});

test.each(hosts)('%s: what passes a limit is refused with what is left', async (host) => {
  const limit = { of: 'acts', per: 'agent', window: '24h', most: 0 };
  await createPolicy(`Cap of ${host}`, `sell_${host}`, { type: 'block', config: { limit } });
  const call = createCall(host, `${host}-limited`, `sell_${host}`);
  const { allows, reason } = readVerdict(host, await answer(host, call));
  expect([allows, reason]).toEqual([
    false,
    expect.stringContaining('The limit is 0 (acts) for each agent in 24h, and 0 is left'),
  ]);
  expect(reason).toContain(`(policy Cap of ${host})`);
  expect(reason).toContain('Nothing has run');
});

test.each(hosts)('%s: a halted call is refused with the reason', async (host) => {
  const call = createCall(host, `${host}-halted`, 'look_up');
  const id = await halt(agent.id);
  const { allows, reason } = readVerdict(host, await answer(host, call));
  await letGoOn(id);
  expect([allows, reason]).toEqual([false, expect.stringContaining('is halted since')]);
  expect(reason).toContain('It pays twice');
  expect(reason).toContain('Nothing has run');
});

test.each(hosts)(
  '%s: an approval is not claimed while it is halted, and once after',
  async (host) => {
    const call = createCall(host, `${host}-stopped`);
    const traceId = getTraceId(readVerdict(host, await answer(host, call)).reason);
    await decideNext({ decision: 'approve' }, traceId);
    const id = await halt(agent.id);
    const refused = readVerdict(host, await answer(host, call));
    expect([refused.allows, refused.reason]).toEqual([false, expect.stringContaining('[HALTED]')]);
    expect(await listExecutions(traceId)).toEqual([]);
    await letGoOn(id);
    expect(readVerdict(host, await answer(host, call)).allows).toBe(true);
    expect(await listExecutions(traceId)).toMatchObject([{ state: 'claimed' }]);
  },
);

test('a hook that asks again about the same call is refused while it is halted', async () => {
  const call = createCall('claude-code', 'twice', 'look_up');
  const ask = async () => readVerdict('claude-code', await answer('claude-code', call));
  expect((await ask()).allows).toBe(true);
  const id = await halt(agent.id);
  const refused = await ask();
  await letGoOn(id);
  expect([refused.allows, refused.reason]).toEqual([false, expect.stringContaining('[HALTED]')]);
});

test('one policy fits all hosts: each asks for the same action', async () => {
  const actions = await Promise.all(
    hosts.map(async (host) => {
      const { reason } = readVerdict(host, await answer(host, createCall(host, 'same')));
      return (await read(getTraceId(reason))).outputDecision.action;
    }),
  );
  const [first] = actions;
  expect(first).toMatchObject({ tool: 'issue_refund', server: 'shop', arguments: { amount: 90 } });
  expect(actions).toEqual(hosts.map(() => first));
});

const reporting = ['claude-code', 'cursor', 'gemini-cli', 'copilot'] as const;
test.each(reporting)('%s: a failed tool is recorded so', async (host) => {
  const call = createCall(host, `${host}-failed`);
  const traceId = getTraceId(readVerdict(host, await answer(host, call)).reason);
  await decideNext({ decision: 'approve' }, traceId);
  await answer(host, call);
  await answer(host, { ...call, ...events[host].failed });
  expect(await listExecutions(traceId)).toMatchObject([{ state: 'failed' }]);
});

test('a rejection is said once; the same call then asks again', async () => {
  const call = createCall('codex', 'rejected');
  const traceId = getTraceId(readVerdict('codex', await answer('codex', call)).reason);
  await decideNext({ decision: 'reject', reason: 'too much' }, traceId);
  expect(readVerdict('codex', await answer('codex', call)).reason).toContain('rejected');
  const other = { ...call, tool_use_id: 'other' };
  const asked = getTraceId(readVerdict('codex', await answer('codex', other)).reason);
  expect(asked).not.toBe(traceId);
});

test('a person who decides within the wait is waited for', async () => {
  const call = createCall('claude-code', 'quick');
  const waiting = answer('claude-code', call, 30);
  await decideNext({ decision: 'approve' });
  expect(JSON.parse(await waiting).hookSpecificOutput).toMatchObject({
    permissionDecision: 'allow',
  });
});

const edits = { arguments: { amount: 45 } };
test.each([
  ['claude-code', (out: string) => JSON.parse(out).hookSpecificOutput.updatedInput],
  ['codex', (out: string) => JSON.parse(out).hookSpecificOutput.updatedInput],
  ['opencode', (out: string) => JSON.parse(out).args],
  ['gemini-cli', (out: string) => JSON.parse(out).hookSpecificOutput.tool_input],
] as const)('%s: the edits of a reviewer replace the raw input', async (host, readInput) => {
  const call = createCall(host, `${host}-edited`);
  const traceId = getTraceId(readVerdict(host, await answer(host, call)).reason);
  await decideNext({ decision: 'approve', edits }, traceId);
  expect(readInput(await answer(host, call))).toEqual({
    order: `${host}-edited`,
    to: 'jo.doe@example.com',
    amount: 45,
  });
});

test.each(['cursor', 'copilot'] as const)(
  '%s takes no edits for a server: the model reads them, and a call with them runs',
  async (host) => {
    const call = createCall(host, `${host}-edited`);
    const traceId = getTraceId(readVerdict(host, await answer(host, call)).reason);
    await decideNext({ decision: 'approve', edits }, traceId);
    const refused = readVerdict(host, await answer(host, call));
    expect([refused.allows, refused.reason]).toEqual([
      false,
      expect.stringContaining('"amount":45'),
    ]);
    const isText = typeof call.tool_input === 'string';
    const input = {
      ...JSON.parse(isText ? String(call.tool_input) : JSON.stringify(call.tool_input)),
      amount: 45,
    };
    const edited = { ...call, tool_input: isText ? JSON.stringify(input) : input };
    expect(readVerdict(host, await answer(host, edited)).allows).toBe(true);
    expect(await listExecutions(traceId)).toMatchObject([{ state: 'claimed' }]);
  },
);

test('gemini-cli: an edit that takes a member away is for the model to make, and what ran is reported', async () => {
  const call = createCall('gemini-cli', 'shortened');
  const ask = async (event: Event) => readVerdict('gemini-cli', await answer('gemini-cli', event));
  const traceId = getTraceId((await ask(call)).reason);
  await decideNext({ decision: 'approve', edits: { arguments: { to: null } } }, traceId);
  const { to: _, ...input } = call.tool_input as Record<string, unknown>;
  const refused = await ask(call);
  expect([refused.allows, refused.reason]).toEqual([
    false,
    expect.stringContaining(JSON.stringify(input)),
  ]);
  expect((await ask({ ...call, tool_input: input })).allows).toBe(true);
  const changed = createCall('gemini-cli', 'changed');
  const other = getTraceId((await ask(changed)).reason);
  await decideNext({ decision: 'approve', edits }, other);
  const { hookSpecificOutput } = JSON.parse(await answer('gemini-cli', changed));
  // Gemini reports the input that ran.
  const after = { ...changed, ...events['gemini-cli'].after };
  await answer('gemini-cli', { ...after, tool_input: hookSpecificOutput.tool_input });
  expect(await listExecutions(other)).toMatchObject([{ state: 'succeeded' }]);
});

test('a policy that asks for a claim gets one, and a hook that runs twice is one decision', async () => {
  const call = { ...events.codex.mcp, tool_name: 'ship', tool_use_id: 'ship-1' };
  expect(await answer('codex', call)).toBe('');
  const again = readVerdict('codex', await answer('codex', call));
  expect(again.allows).toBe(false);
});

test('a call id that comes back is another call: it is asked for, also with the same arguments', async () => {
  const call = { ...events.codex.mcp, tool_name: 'mcp__shop__look_up', tool_use_id: 'call_0' };
  const count = async (): Promise<number> =>
    (await harness.app.call('GET', '/api/v1/traces?limit=1', { token: ada.token })).body.pagination
      .total;
  const before = await count();
  expect(await answer('codex', call)).toBe('');
  expect(readVerdict('codex', await answer('codex', call)).allows).toBe(false);
  expect(await answer('codex', { ...call, tool_input: { order: 'A-18' } })).toBe('');
  await answer('codex', { ...call, ...events.codex.after });
  expect(await answer('codex', call)).toBe('');
  expect(await count()).toBe(before + 3);
  const held = { ...call, tool_name: 'wire' };
  expect(readVerdict('codex', await answer('codex', held)).reason).toContain('No wires');
});

test('six of the same call at once use an approval once', async () => {
  const call = createCall('codex', 'raced');
  const traceId = getTraceId(readVerdict('codex', await answer('codex', call)).reason);
  await decideNext({ decision: 'approve' }, traceId);
  const calls = Array.from({ length: 6 }, (_, at) => ({ ...call, tool_use_id: `raced-${at}` }));
  const verdicts = await Promise.all(
    calls.map(async (one) => readVerdict('codex', await answer('codex', one))),
  );
  expect(verdicts.filter(({ allows }) => allows)).toHaveLength(1);
});

test('the wording of a shell call is no part of its action', () => {
  const { shell } = events['claude-code'];
  const reworded = { ...(shell.tool_input as object), description: 'Publish the work' };
  const [first, again] = [shell, { ...shell, tool_input: reworded }].map((event) => {
    const read = HOSTS['claude-code']!.read(event as never);
    return read.kind === 'before' ? read.call.action : null;
  });
  const args = { command: 'git push --force', timeout: 120_000 };
  expect(first).toEqual({ tool: 'shell', cwd: '/srv/shop', arguments: args });
  expect(again).toEqual(first);
});

test('what is kept between two hooks is for the owner alone, without the arguments', async () => {
  await answer('codex', createCall('codex', 'kept'));
  const folder = join(cli.folder, 'hooks/held');
  const names = await readdir(folder);
  const modes = names.map(async (name) => (await stat(join(folder, name))).mode & 0o777);
  expect(new Set(await Promise.all(modes))).toEqual(new Set([0o600]));
  const newest = names.map((name) => readFile(join(folder, name), 'utf8'));
  const texts = (await Promise.all(newest)).filter((text) => !text.includes('"asked"'));
  expect(texts.length).toBeGreaterThan(0);
  expect(texts.join()).not.toContain('jo.doe');
});

/** Answers a host that asks for a held tool with an input as JSON, since some have no other form. */
function answerInput(host: Host, input: string): Promise<string> {
  const { mcp } = events[host];
  const member = host === 'opencode' ? 'args' : 'tool_input';
  const given = host === 'cursor' ? JSON.stringify(input) : input;
  const text = JSON.stringify({ ...mcp, [member]: 'PLACE' }).replace('"PLACE"', () => given);
  const readProfile = async () => ({ url: harness.app.url, key: agent.key, agent: agent.id });
  return answerHook(text, { host, readProfile, wait: 0, store });
}

async function expectNotRun(host: Host, input: string): Promise<void> {
  const out = await answerInput(host, input).catch(() => null);
  // Without an answer the command ends with status 2, which is a refusal.
  expect(out === null ? false : readVerdict(host, out).allows).toBe(false);
}

const HOSTILE: readonly [what: string, input: string][] = [
  ['half a character', '{"order":"\\ud800"}'],
  ['a hundred thousand levels', '['.repeat(100_000) + ']'.repeat(100_000)],
  ['a number that no double has', '{"amount":90071992547409931234567890}'],
];
test.each(hosts.flatMap((host) => HOSTILE.map((one) => [host, ...one] as const)))(
  '%s: a held tool with %s does not run',
  (host, _, input) => expectNotRun(host, input),
);

test.each(hosts)('%s: an integer that would be rounded is refused by its name', async (host) => {
  const ask = async (amount: string) => {
    const input = `{"order":"${host}-exact","lines":[{"amount":1},{"amount":${amount}}]}`;
    return readVerdict(host, await answerInput(host, input));
  };
  const { allows, reason } = await ask('1234567890123456789');
  expect([allows, reason]).toEqual([
    false,
    'Assay: the argument lines.1.amount is an integer beyond 2^53 - 1, which is not read exactly: it has to be a text, in quotes. Nothing has run.',
  ]);
  expect((await ask('"1234567890123456789"')).reason).toContain('a person has to decide');
});

test.each(hosts)(
  '%s: a held tool with two megabytes of members does not run',
  { tags: ['long'] },
  (host) => {
    const members = Array.from({ length: 100_000 }, (_, at) => `"order${at}":0`);
    return expectNotRun(host, `{${members.join()}}`);
  },
);

test.each(hosts)('%s: a tool named like a member of every object is asked for', async (host) => {
  for (const name of ['__proto__', 'constructor', 'toString']) {
    const member = host === 'opencode' ? 'tool' : 'tool_name';
    const ids = { tool_use_id: name, callID: name, mcp_context: undefined };
    const named = { ...events[host].mcp, [member]: name, ...ids };
    const { allows, reason = '' } = readVerdict(host, await answer(host, named));
    expect(allows, reason).not.toBe(false);
  }
});

test('without the service nothing runs', async () => {
  const out = await answer('cursor', events.cursor.mcp, 0, 'http://127.0.0.1:9');
  const { allows, reason } = readVerdict('cursor', out);
  expect([allows, reason]).toEqual([false, expect.stringContaining('Nothing has run')]);
});

test.each(hosts)('%s: without a key nothing runs', async (host) => {
  const readProfile = async () => ({ url: harness.app.url });
  const text = JSON.stringify(events[host].mcp);
  const keyless = readVerdict(host, await answerHook(text, { host, readProfile, wait: 0, store }));
  expect([keyless.allows, keyless.reason]).toEqual([false, expect.stringContaining('ASSAY_KEY')]);
});

test.each(hosts.filter((host) => 'other' in events[host]))(
  '%s: what is no call passes',
  async (host) => {
    expect(await answer(host, events[host].other)).toBe(HOSTS[host]!.silence);
  },
);

test('the command answers on standard output, and ends with 2 for what it cannot understand', async () => {
  const answered = await cli.run(['hook', 'codex'], JSON.stringify(events.codex.shell));
  expect(answered).toMatchObject({ code: 0, err: '' });
  expect(readVerdict('codex', answered.out)).toMatchObject({ allows: false });
  const { code, out, err } = await cli.run(['hook', 'codex'], '{');
  expect([code, out, err]).toEqual([2, '', expect.stringContaining('Nothing has run')]);
});

test('the plugin for opencode throws for a refusal, and passes what is approved', async () => {
  const file = join(cli.folder, 'assay-plugin.mjs');
  const words = [process.execPath, findProgram('assay'), 'hook', 'opencode', '--wait', '0'];
  await writeFile(
    file,
    renderPlugin([
      'env',
      ...Object.entries(cli.environment).map(([name, value]) => `${name}=${value}`),
      ...words,
    ]),
  );
  const { AssayPlugin } = (await import(pathToFileURL(file).href)) as {
    AssayPlugin: (input: object) => Promise<Record<string, (...args: object[]) => Promise<void>>>;
  };
  const plugin = await AssayPlugin({ directory: '/srv/shop' });
  const runBefore = (tool: string, args: object) =>
    plugin['tool.execute.before']!({ tool, sessionID: 's', callID: tool }, { args });
  await expect(runBefore('wire', {})).rejects.toThrow('No wires');
  await expect(runBefore('look_up', { order: 'A' })).resolves.toBeUndefined();
});
