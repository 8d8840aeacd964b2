// Where the session and the key of a profile go: to the address that they are from, and unencrypted to no other machine.
import { createServer } from 'node:http';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCli } from './cli-stage.ts';

/** The service of another person, which keeps what it gets. */
const got: string[] = [];
const other = createServer((req, res) => {
  got.push(JSON.stringify(req.headers));
  res.writeHead(200, { 'content-type': 'application/json' }).end('{"success":true,"data":{}}');
});
let url = '';
beforeAll(async () => {
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  url = `http://127.0.0.1:${(other.address() as { port: number }).port}`;
});
afterAll(() => void other.close());

async function createKept(address: string, environment: Record<string, string> = {}) {
  const cli = await createCli(environment);
  const file = join(cli.folder, 'config/assay/config.json');
  await mkdir(dirname(file), { recursive: true });
  const kept = { url: address, token: 'kept-session', key: 'svc_live_kept', agent: 'kept-agent' };
  await writeFile(file, JSON.stringify({ profiles: { default: kept } }));
  return cli;
}

const event = JSON.stringify({
  hook_event_name: 'PreToolUse',
  tool_name: 'Bash',
  tool_input: { command: 'ls' },
});
test.each([
  ['review', ['review'], ''],
  ['doctor', ['doctor'], ''],
  ['decide', ['decide', '-'], '{"tool":"pay"}'],
  ['a hook', ['hook', 'claude-code'], event],
  ['the proxy', ['mcp-proxy', '--', process.execPath, '-e', ''], ''],
])('%s sends what a profile keeps to its own address alone', async (_, args, input) => {
  got.splice(0);
  const byVariable = await createKept('https://assay.example.com', { ASSAY_URL: url });
  const ended = await byVariable.run(args, input);
  const byOption = await createKept('https://assay.example.com');
  await byOption.run(['--url', url, ...args], input);
  expect(got.join()).not.toContain('kept');
  expect(`${ended.out}${ended.err}`).not.toContain('kept');
});

test('the same address in another spelling is the same', async () => {
  const cli = await createKept(`${url}/`, { ASSAY_URL: url.replace('http:', 'HTTP:') });
  got.splice(0);
  await cli.run(['review']);
  expect(got.join()).toContain('kept-session');
});

test('unencrypted addresses of other machines are refused, unless they are allowed', async () => {
  const cli = await createKept('http://assay.example.com');
  for (const args of [
    ['review'],
    ['--url', 'http://assay.invalid:3000', 'doctor'],
    ['hook', 'codex'],
  ]) {
    const { code, out, err } = await cli.run(args, event);
    expect([code === 0 ? out : err]).toEqual([expect.stringContaining('unencrypted')]);
  }
  const allowed = await createCli({ ASSAY_URL: 'http://assay.invalid', ASSAY_PLAIN_HTTP: '1' });
  expect((await allowed.run(['doctor'])).out).toContain('NO  reach');
});
