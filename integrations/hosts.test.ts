// Real coding agents run the real hook before a real call of their shell. `npm run test:hosts` installs those that are missing.
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type Cli, createCli } from '../test/cli/cli-stage.ts';
import { assertOk } from '../test/setup/personas.ts';
import { type HostModel, startHostModel } from './setup/host-model.ts';
import { type Host, HOSTS, isInstalled, runHost } from './setup/hosts.ts';
import { PROGRAMS } from './setup/packed-sdk.ts';
import { useStage } from './setup/stage.ts';
import { refund } from './setup/tools.ts';

const { ada, agent, decideNext, harness, listExecutions, read } = useStage();
const LOG = 'ran.txt';
const SHOP = join(PROGRAMS, 'shop.mjs');
let model: HostModel;
let cli: Cli;
let environment: Record<string, string>;

beforeAll(async () => {
  model = await startHostModel();
  environment = { ASSAY_URL: harness.app.url, ASSAY_KEY: agent.key, ASSAY_AGENT: agent.id };
  cli = await createCli(environment);
  for (const [value, type] of [
    ['refund', 'flag_for_review'],
    ['wire', 'block'],
  ] as const)
    assertOk(
      await harness.app.call('POST', '/api/v1/policies', {
        token: ada.token,
        body: {
          name: `${value} in a shell`,
          conditions: [
            { field: 'outputDecision.action.tool', operator: 'equals', value: 'shell' },
            { field: 'outputDecision.action.arguments.command', operator: 'contains', value },
          ],
          actions: [{ type, config: { reason: `No ${value} unseen` } }],
        },
      }),
    );
});
afterAll(() => model.close());

/** A project in which `assay init` has installed the hook, which then waits for no one. `others` have hooks there too. */
async function createProject({ name, hookFile }: Host, ...others: string[]): Promise<string> {
  const folder = await mkdtemp(join(inject('scratch'), `${name}-`));
  const { code, err } = await cli.run(['init', '--yes', '--hook', name, ...others], '', folder);
  expect([code, err]).toEqual([0, expect.any(String)]);
  const installed = await readFile(join(folder, hookFile), 'utf8');
  const impatient = installed
    .replaceAll(`hook ${name}`, `hook ${name} --wait 0`)
    .replace(`"hook","${name}"`, `"hook","${name}","--wait","0"`);
  expect(impatient).not.toBe(installed);
  await writeFile(join(folder, hookFile), impatient);
  return folder;
}

const readLog = (folder: string): Promise<string> =>
  readFile(join(folder, LOG), 'utf8').catch(() => '');
const createCommand = (word: string): string => `echo ${word} >> ${LOG}`;
const findTrace = (told = ''): string => /trc_[0-9a-f]{32}/.exec(told)?.[0] ?? '';

/** Runs a host in a folder; `changes` of its environment. */
const runProject = (host: Host, folder: string, changes: Record<string, string> = {}) => {
  const { PATH = '' } = process.env;
  const all = { PATH, HOME: folder, XDG_CONFIG_HOME: join(folder, 'config'), ...environment };
  return runHost(host, { folder, model: model.url, environment: { ...all, ...changes } });
};

for (const host of HOSTS.filter((one) => !isInstalled(one)))
  console.log(`${host.name} is not installed: its hook is not run`);

describe.each(HOSTS.filter(isInstalled))('$name', (host) => {
  test('a blocked call does not run; a held one runs once, unchanged, after its approval', async () => {
    const folder = await createProject(host);
    const [wire, refund] = ['wire', 'refund'].map((word) => host.createCall(createCommand(word)));
    let traceId = '';
    const approve = async (told: readonly string[]): Promise<void> => {
      expect(await readLog(folder)).toBe('');
      traceId = findTrace(told[1]);
      await decideNext({ decision: 'approve' }, traceId);
    };
    const told = model.planCalls([wire!, refund!, { ...refund!, before: approve }, { ...refund! }]);
    const printed = await runProject(host, folder);
    expect(told, printed).toHaveLength(4);
    expect(told[0]).toContain('No wire unseen');
    expect(told[1]).toContain('/console/review/');
    expect(await readLog(folder)).toBe('refund\n');
    expect(findTrace(told[3])).not.toBe(traceId);
    expect((await read(traceId)).outputDecision.action).toMatchObject({
      tool: 'shell',
      arguments: { command: createCommand('refund') },
    });
    expect(await listExecutions(traceId)).toMatchObject([{ state: 'succeeded' }]);
  });

  test.runIf(host.servers)(
    'a tool of an MCP server is named by both, and what a reviewer changed is what runs',
    async () => {
      const { file, createCall: name, takesEdits } = host.servers!;
      const folder = await createProject(host);
      const server = {
        command: process.execPath,
        args: [SHOP],
        env: { SHOP_LOG: join(folder, LOG) },
      };
      const settings = await readFile(join(folder, file), 'utf8').catch(() => '{}');
      const listed = { ...JSON.parse(settings), mcpServers: { 'my-shop': server } };
      await writeFile(join(folder, file), JSON.stringify(listed));
      const edited = { ...refund, amount: 45 };
      const [asked, changed] = [refund, edited].map((args) =>
        name('my-shop', 'issue_refund', args),
      );
      let traceId = '';
      const approve = async (told: readonly string[]): Promise<void> => {
        traceId = findTrace(told[0]);
        await decideNext({ decision: 'approve', edits: { arguments: { amount: 45 } } }, traceId);
      };
      const plan = [asked!, { ...asked!, before: approve }, ...(takesEdits ? [] : [changed!])];
      const told = model.planCalls(plan);
      const printed = await runProject(host, folder);
      expect(told, printed).toHaveLength(plan.length);
      expect(told.at(-1)).toContain('done: issue_refund');
      expect((await readLog(folder)).trim()).toBe(JSON.stringify(edited));
      const { action } = (await read(traceId)).outputDecision;
      expect(action).toMatchObject({ server: 'my-shop', tool: 'issue_refund' });
      expect(await listExecutions(traceId)).toMatchObject([{ state: 'succeeded' }]);
    },
  );

  test.runIf(host.name === 'copilot')(
    'with the hook of Claude Code beside it an act has one decision',
    async () => {
      const count = async (): Promise<number> =>
        assertOk(await harness.app.call('GET', '/api/v1/traces?limit=1', { token: ada.token })).body
          .pagination.total;
      const before = await count();
      const folder = await createProject(host, 'claude-code');
      const told = model.planCalls([host.createCall(createCommand('look'))]);
      const printed = await runProject(host, folder);
      expect(told, printed).toHaveLength(1);
      expect(await readLog(folder)).toBe('look\n');
      expect(await count()).toBe(before + 1);
    },
  );

  test.each([
    ['the service is away', { ASSAY_URL: 'http://127.0.0.1:9' }, false],
    ['the hook cannot start', {}, true],
  ])('nothing runs when %s', async (_, changes, isBroken) => {
    const folder = await createProject(host);
    const file = join(folder, host.hookFile);
    const hook = await readFile(file, 'utf8');
    if (isBroken) await writeFile(file, hook.replaceAll('assay.mjs', 'missing.mjs'));
    const told = model.planCalls([host.createCall(createCommand('look'))]);
    const printed = await runProject(host, folder, changes);
    expect(told, printed).toHaveLength(1);
    expect(await readLog(folder)).toBe('');
  });
});
