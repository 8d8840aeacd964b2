// `assay halt`, `assay halts` and `assay resume`: what they print, and that two people are needed to go on.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { canonicalize } from '@assay/json';
import { useGuards } from '../../sdk/typescript/sdk-stage.ts';
import { useHalts } from '../../sdk/typescript/halt-stage.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk } from '../../setup/personas.ts';
import { type Cli, createCli, readJson } from '../cli-stage.ts';
import { COMMAND, expectShown, parseWords } from '../guide-commands.ts';

const harness = useHarness();
const ada = useOwner(harness);
const { agent, createPolicy } = useGuards(harness, ada);
const { readSecondToken } = useHalts(harness, ada);
let cli: Cli;
let second: Cli;
beforeAll(async () => {
  const { url } = harness.app;
  cli = await createCli({ ASSAY_URL: url, ASSAY_KEY: agent.key, ASSAY_TOKEN: ada.token });
  second = await createCli({ ASSAY_URL: url, ASSAY_TOKEN: readSecondToken() });
  await createPolicy('Once', 'ship', { type: 'approve', config: { singleUse: true } });
});

const action = { tool: 'ship', arguments: { order: 'A-17' } };
const decide = () => cli.run(['decide', '-'], JSON.stringify(action));

/** Begins an action that does not end. */
async function claimOne(): Promise<string> {
  const { traceId } = readJson<{ traceId: string }>(
    await cli.run(['decide', '-', '--json'], JSON.stringify(action)),
  );
  const digest = createHash('sha256').update(canonicalize(action)).digest('hex');
  const path = `/api/v1/traces/${traceId}/executions`;
  const body = { rawActionDigest: digest };
  assertOk(await harness.app.call('POST', path, { key: agent.key, body }));
  return traceId;
}

/** The words after `assay` of the command that a second person has to run. */
const findCommand = (text: string): string[] => / assay (resume .+)/.exec(text)![1]!.split(' ');

test('an agent is stopped by its name; the list shows what goes on; two people let it go on', async () => {
  const traceId = await claimOne();
  const halted = await cli.run(['halt', '--agent', agent.name, '--reason', 'It pays\ntwice']);
  expect([halted.code, halted.err]).toEqual([0, '']);
  expect(halted.out).toContain(`Agent ${agent.name} is halted, since `);
  expect(halted.out).toContain('cannot be stopped: 1');
  expect(halted.out).toContain(traceId);
  expect(halted.out).toContain(': It pays twice\n');
  const id = /assay resume ([0-9a-f]{24})/.exec(halted.out)![1]!;
  const refused = await decide();
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('It pays')]);
  expect((await cli.run(['halt', '--agent', agent.id])).out).toContain('is halted already, since ');
  const listed = await cli.run(['halts']);
  expect(listed.out).toMatch(new RegExp(`${id} +Agent ${agent.name} +halted +\\S+Z +1 `));
  expect(listed.out).toContain(traceId);

  const asked = await cli.run(['resume', id]);
  expect(asked.code).toBe(0);
  expect(asked.out).toContain('stays halted until a second person confirms');
  const command = findCommand(asked.out);
  expect(findCommand((await second.run(['halts'])).out)).toEqual(command);
  expect((await cli.run(command)).out).toContain('stays halted');
  expect((await decide()).code).toBe(1);
  const wrong = await second.run([...command.slice(0, -1), '0'.repeat(64)]);
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('read the halt again')]);
  expect((await second.run(command)).out).toBe(`Agent ${agent.name} goes on.\n`);
  expect((await decide()).code).toBe(0);
  expect((await cli.run(['halts'])).out).toBe('Nothing is halted.\n');
  expect((await cli.run(['halts', '--ended'])).out).toMatch(new RegExp(`${id} .* resumed `));
});

test.each([
  ['a session', () => ['--session'], 'Session s-1 of '],
  ['a workspace by its name', () => ['--workspace', 'Default'], 'Workspace Default is'],
  ['everything', () => ['--all'], 'Everything is'],
])('%s is stopped', async (_, toOptions, said) => {
  const options = toOptions();
  if (options[0] === '--session') {
    const body = {
      agentId: agent.id,
      sessionId: 's-1',
      inputContext: { prompt: 'x' },
      outputDecision: { action },
    };
    const answer = await harness.app.call('POST', '/api/v1/traces', { key: agent.key, body });
    options.push(assertOk(answer).body.data.traceId);
  }
  const halted = await cli.run(['halt', ...options, '--watch']);
  expect([halted.code, halted.out]).toEqual([0, expect.stringContaining(said)]);
  expect(halted.out).toContain('watched');
  const id = /assay resume ([0-9a-f]{24})/.exec(halted.out)![1]!;
  const asked = await cli.run(['resume', id]);
  expect((await second.run(findCommand(asked.out))).out).toContain('goes on.');
});

test('from halted to watched takes a second person as well', async () => {
  const { id } = readJson<{ id: string }>(await cli.run(['halt', '--agent', agent.id, '--json']));
  const command = findCommand((await cli.run(['resume', id, '--to', 'watched'])).out);
  expect((await second.run(command)).out).toContain('is watched: a person decides');
  expect((await decide()).code).toBe(2);
  const again = findCommand((await cli.run(['resume', id])).out);
  expect((await second.run(again)).code).toBe(0);
});

test.each([
  ['nothing named', ['halt'], /one of --agent/],
  ['two named', ['halt', '--all', '--agent', 'till'], /one of --agent/],
  ['an unknown workspace', ['halt', '--workspace', 'moon'], /no workspace moon/],
  ['an unknown session', ['halt', '--session', 'trc_none'], /NOT_FOUND/],
  ['another state', ['resume', 'f'.repeat(24), '--to', 'halted'], /Allowed choices/],
  ['an unknown halt', ['resume', 'f'.repeat(24)], /NOT_FOUND/],
])('%s ends with 2 and says what is wrong', async (_, args, message) => {
  const { code, err } = await cli.run(args);
  expect([code, err]).toEqual([2, expect.stringMatching(message)]);
});

test('the commands of the guide do what it shows', async () => {
  const { apiKey } = readJson<{ apiKey: string }>(
    await cli.run(['agents', 'create', 'till', '--json']),
  );
  const guide = readFileSync('docs/guides/halts.md', 'utf8');
  const values: Record<string, string> = {};
  const done: string[] = [];
  const posted: unknown[] = [];
  for (const [, command = '', shown = ''] of guide.matchAll(COMMAND)) {
    const [program, ...args] = parseWords(command).map((word) => values[word] ?? word);
    done.push(`${program} ${args[0]}`);
    if (program === 'curl') {
      const [, raw = ''] = /-d '(.*)'/.exec(command)!;
      const path = new URL(args[1]!).pathname;
      const isOwn = command.includes('x-api-key');
      const credentials = isOwn ? { key: apiKey } : { token: ada.token };
      const { body } = assertOk(await harness.app.call('POST', path, { ...credentials, raw }));
      posted.push([path, isOwn ? body.data.id === values['$HALT'] : body.data.name]);
      continue;
    }
    const ran = await (args.includes('--confirm') ? second : cli).run(args);
    expect([ran.code, ran.err], command).toEqual([0, '']);
    if (shown !== '') expectShown(ran.out, shown);
    values['$HALT'] ??= / resume ([0-9a-f]{24})/.exec(ran.out)?.[1] ?? '';
    const [, digest] = /--confirm ([0-9a-f]{64})/.exec(ran.out) ?? [];
    if (digest !== undefined) values['$DIGEST'] = digest;
  }
  expect(posted).toEqual([
    ['/api/v1/halts/own', true],
    ['/api/v1/policies/from-adl', 'Keys stay here'],
  ]);
  expect(done).toEqual([
    'assay halt',
    'curl -s',
    'curl -s',
    'assay halts',
    'assay resume',
    'assay resume',
  ]);
});
