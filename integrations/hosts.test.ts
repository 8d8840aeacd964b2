// Real coding agents run the real hook before a real call of their shell. `npm run test:hosts` installs those that are missing.
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type Cli, createCli } from '../test/cli/cli-stage.ts';
import { assertOk } from '../test/setup/personas.ts';
import { type HostModel, startHostModel } from './setup/host-model.ts';
import { type Host, HOSTS, isInstalled, runHost } from './setup/hosts.ts';
import { useStage } from './setup/stage.ts';

const { ada, agent, decideNext, harness, listExecutions, read } = useStage();
const LOG = 'ran.txt';
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

/** A project in which `assay init` has installed the hook, which then waits for no one. */
async function createProject({ name, hookFile }: Host): Promise<string> {
  const folder = await mkdtemp(join(inject('scratch'), `${name}-`));
  const { code, err } = await cli.run(['init', '--yes', '--hook', name], '', folder);
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
