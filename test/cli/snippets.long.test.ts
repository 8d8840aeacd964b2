// The examples of the console's first steps and of `assay init` run as they stand, in an empty project of a reader.
// @module-tag long
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CHECKOUT, type SnippetStep, type Way, WAYS } from '../../console/src/parts/snippets.ts';
import { useOwnHarness, useOwner } from '../setup/fixtures.ts';
import { assertOk, createWorkspaceKey } from '../setup/personas.ts';

const harness = useOwnHarness();
const { app } = harness;
const ada = useOwner(harness);
const root = resolve(import.meta.dirname, '../..');
const LONGEST = { timeout: 300_000 };

/** Outside the checkout, so that nothing of it is found by chance. */
let folder: string;
let key: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-reader-'));
  ({ key } = await createWorkspaceKey(app, ada));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Runs commands as a terminal would; fails with what they say. */
async function runShell(code: string, input = ''): Promise<{ out: string; err: string }> {
  const { PATH = '' } = process.env;
  const env = { PATH, HOME: folder, npm_config_cache: join(tmpdir(), 'assay-npm-cache') };
  const child = spawn('sh', ['-ec', code], { cwd: folder, env });
  child.stdin.end(input);
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (child.exitCode === null) await once(child, 'exit');
  if (child.exitCode !== 0) throw new Error(`${code}\nended with ${child.exitCode}: ${out}${err}`);
  return { out, err };
}

const writeWay = (id: Way['id'], tool = 'get_order'): SnippetStep[] =>
  WAYS.find((way) => way.id === id)!.write({ key, agent: 'shop-support', tool, origin: app.url });

/** Does what the steps say: writes their files, and runs their commands, in one terminal. */
async function follow(steps: readonly SnippetStep[]) {
  const commands: string[] = [];
  for (const { file, code } of steps)
    if (file === undefined) commands.push(code.replaceAll(CHECKOUT, root));
    else await writeFile(join(folder, file), code);
  return runShell(commands.join('\n'));
}

async function readNewest() {
  const path = '/api/v1/traces?limit=1';
  return assertOk(await app.call('GET', path, { token: ada.token })).body.data[0];
}

test('curl posts a decision', async () => {
  const { out } = await follow(writeWay('curl'));
  expect(JSON.parse(out)).toMatchObject({ success: true, data: { status: 'approved' } });
  expect(await readNewest()).toMatchObject({ agentId: 'shop-support' });
});

test.each(['get_order', '2nd tool'])(
  'TypeScript is installed from the checkout, asks and runs: %s',
  LONGEST,
  async (tool) => {
    const { out } = await follow(writeWay('typescript', tool));
    expect(out).toContain("{ order: 'SO-48213', done: true }");
    expect(await readNewest()).toMatchObject({
      agentId: 'shop-support',
      outputDecision: { action: { tool } },
    });
  },
);

test('Python is installed from the checkout, asks and runs', LONGEST, async () => {
  const { out } = await follow(writeWay('python'));
  expect(out).toContain("{'order': 'SO-48213', 'done': True}");
  expect(await readNewest()).toMatchObject({ outputDecision: { action: { tool: 'get_order' } } });
});

const SERVER = `import { createInterface } from 'node:readline';
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line);
  if (id === undefined) continue;
  const results = {
    initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'shop', version: '1' } },
    'tools/call': { content: [{ type: 'text', text: 'It is on its way' }] },
  };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }));
}
`;

test('the proxy stands before an MCP server', LONGEST, async () => {
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'my-server.js'), SERVER);
  const messages = [
    {
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'reader', version: '1' },
      },
    },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/call', params: { name: 'get_order', arguments: { order: 'SO-1' } } },
  ];
  const [{ code = '' } = {}] = writeWay('mcp');
  const child = spawn('sh', ['-ec', code.replaceAll(CHECKOUT, root)], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', HOME: folder },
  });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (data: string) => (out += data));
  for (const message of messages)
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  await expect.poll(() => out, { timeout: 60_000 }).toContain('It is on its way');
  child.stdin.end();
  await once(child, 'exit');
  const { outputDecision } = await readNewest();
  expect(JSON.stringify(outputDecision)).toContain('get_order');
});

test('hooks are shown, and written when that is wanted', LONGEST, async () => {
  const [{ code = '' } = {}] = writeWay('hooks');
  const command = code.replaceAll(CHECKOUT, root);
  await expect(runShell(command)).rejects.toThrow(/Nothing was written/);
  await runShell(`${command} --yes`);
  expect(await readFile(join(folder, '.claude/settings.local.json'), 'utf8')).toContain('assay');
});

/** The lines that `init` prints after one of its headings, up to the next. */
const readBlock = (out: string, heading: RegExp): string => {
  const lines = out.split('\n');
  const at = lines.findIndex((line) => heading.test(line));
  const rest = lines.slice(at + 1);
  return rest
    .slice(
      0,
      rest.findIndex((line) => !line.startsWith('  ')),
    )
    .join('\n');
};

test('what init prints installs the SDKs and runs', LONGEST, async () => {
  await writeFile(join(folder, 'package.json'), '{ "name": "reader" }');
  await writeFile(join(folder, 'requirements.txt'), '');
  const variables = `export ASSAY_URL=${app.url} ASSAY_KEY=${key} ASSAY_AGENT=shop-support`;
  const init = `node ${join(root, 'packages/cli/bin/assay.mjs')} init --yes`;
  const { out } = await runShell(`${variables}\n${init}`);
  await runShell(readBlock(out, /^In TypeScript/));
  const code = readBlock(out, /one line a tool, in a module/);
  const module = `const yourFunction = async (order) => ({ order });\n${code}\nconsole.log(await issueRefund('SO-7'));`;
  await writeFile(join(folder, 'agent.mjs'), module);
  expect((await runShell('node --env-file=.env.assay agent.mjs')).out).toContain(
    "{ order: 'SO-7' }",
  );
  const install = readBlock(out, /^In Python/).replace('python3', '.venv/bin/python');
  await runShell(`python3 -m venv .venv\n${install}`);
  const lines = readBlock(`${out}\n`, /one line a tool, in a program/).replaceAll(/^ {2}/gm, '');
  const program = `def your_function(order):\n    return order\n\n\n${lines}\nprint(issue_refund("SO-8"))\n`;
  await writeFile(join(folder, 'agent.py'), program);
  const load = 'set -a; . ./.env.assay; set +a';
  expect((await runShell(`${load}\n.venv/bin/python agent.py`)).out).toContain('SO-8');
});
