// `assay export` and `assay audit-bundle` before whatever may answer under the service's address: a file is a whole bundle.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { useGuards } from '../sdk/typescript/sdk-stage.ts';
import { useHarness, useOwner } from '../setup/fixtures.ts';
import { type Cli, createCli } from './cli-stage.ts';

const harness = useHarness();
const ada = useOwner(harness);
const { agent } = useGuards(harness, ada);

/** What the service has answered to a download. */
interface Passed {
  type: string;
  bytes: Buffer;
}
type Meddle = (res: ServerResponse, passed: Passed) => void;
const send =
  (status: number, headers: Record<string, string>, page = ''): Meddle =>
  (res) =>
    void res.writeHead(status, headers).end(page);
const cutTo =
  (part: number): Meddle =>
  (res, { type, bytes }) =>
    void res.writeHead(200, { 'content-type': type }).end(bytes.subarray(0, bytes.length * part));
const passOn = cutTo(1);

let meddle = passOn;
const strayed: string[] = [];
const elsewhere = createServer((req, res) => {
  strayed.push(req.url!);
  res.writeHead(200, { 'content-type': 'application/json' }).end('{}');
});
/** Passes everything on as it is, but for downloads. */
const middle = createServer((req, res) => void pass(req, res));
async function pass(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { url: path = '', method = '' } = req;
  const body = await text(req);
  const headers = { authorization: String(req.headers.authorization), ...JSON_TYPE };
  const answer = await fetch(harness.app.url + path, {
    method,
    headers,
    ...(body.length > 0 && { body }),
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  const type = answer.headers.get('content-type')!;
  if (/export|download$/.test(path)) return meddle(res, { type, bytes });
  res.writeHead(answer.status, { 'content-type': type }).end(bytes);
}
const JSON_TYPE = { 'content-type': 'application/json' };

let cli: Cli;
beforeAll(async () => {
  for (const server of [elsewhere, middle]) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }
  cli = await createCli({ ASSAY_URL: addressOf(middle), ASSAY_TOKEN: ada.token });
  const own = await createCli({ ASSAY_URL: harness.app.url, ASSAY_KEY: agent.key });
  await own.run(['decide', '-'], '{"tool":"look_up"}');
});
afterAll(() => [elsewhere, middle].forEach((server) => server.close()));
beforeEach(() => void (meddle = passOn));

function addressOf(server: ReturnType<typeof createServer>): string {
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

const COMMANDS = ['export', 'audit-bundle'] as const;
const HTML = '<!doctype html><title>Sign in</title>';
const ANSWERS: readonly [name: string, meddle: Meddle, said: RegExp][] = [
  ['a page', send(200, { 'content-type': 'text/html' }, HTML), /not answer with a bundle/],
  ['a page that says JSON', send(200, JSON_TYPE, HTML), /not .*a bundle/],
  ['a page that says gzip', send(200, { 'content-type': 'application/gzip' }, HTML), /bundle|cut/],
  ['no content', send(204, {}), /not answer with a bundle/],
  [
    'a part',
    (res, { type, bytes }) => void res.writeHead(206, { 'content-type': type }).end(bytes),
    /not answer with a bundle/,
  ],
  ['an empty answer', cutTo(0), /not a bundle|cut short/],
  ['the first half', cutTo(0.5), /cut short/],
  ['all but the end', cutTo(0.99), /cut short/],
  [
    'a lost connection',
    (res, { type, bytes }) => {
      res.writeHead(200, { 'content-type': type, 'content-length': String(bytes.length) });
      res.write(bytes.subarray(0, bytes.length / 2), () => void res.destroy());
    },
    /cut short/,
  ],
  [
    'a redirect',
    (res) => void res.writeHead(302, { location: `${addressOf(elsewhere)}/sign-in` }).end(),
    /another address \(302\)/,
  ],
];
test.each(COMMANDS.flatMap((command) => ANSWERS.map((one) => [command, ...one] as const)))(
  '%s: %s leaves no file, and the one that was there',
  async (command, _, given, said) => {
    meddle = given;
    const before = await readdir(cli.folder);
    const { code, out, err } = await cli.run([command, '-o', 'new.bundle']);
    expect([code, out, err]).toEqual([2, '', expect.stringMatching(said)]);
    await writeFile(join(cli.folder, 'kept.bundle'), 'kept');
    expect((await cli.run([command, '-o', 'kept.bundle'])).code).toBe(2);
    expect(await readFile(join(cli.folder, 'kept.bundle'), 'utf8')).toBe('kept');
    const made = (await readdir(cli.folder)).filter((name) => !before.includes(name));
    expect([made.filter((name) => name !== 'kept.bundle'), strayed]).toEqual([[], []]);
  },
);

test.each(COMMANDS)(
  '%s: a whole bundle replaces the file, and no other is left',
  async (command) => {
    const name = `${command}.bundle`;
    await writeFile(join(cli.folder, name), 'old');
    expect(await cli.run([command, '-o', name])).toMatchObject({ code: 0, err: '' });
    const found = (await readdir(cli.folder)).filter((one) => one.startsWith(name));
    expect(found).toEqual([name]);
    expect((await readFile(join(cli.folder, name))).length).toBeGreaterThan(1000);
  },
);

test('a bundle goes into no folder or device', async () => {
  const { code, err } = await cli.run(['export', '-o', '/dev/null']);
  expect([code, err]).toEqual([2, '/dev/null is not a file\n']);
});
