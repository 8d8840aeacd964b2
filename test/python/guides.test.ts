// Every example in Python of the guides to frameworks runs as it stands there, in the application that the SDK's tests have.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEnvironment } from './environment.ts';
import { usePythonService } from './service.ts';

const ROOT = join(import.meta.dirname, '../..');
const TIME_MS = 300_000;
const { agent, decideNext, findHeld, listExecutions, readEnvironment } = usePythonService();
/** Without the package index there is nothing to test with. */
const environment = await createEnvironment('assay-python-guides', ['guides']).catch(
  (error: Error) => {
    process.stderr.write(`The guides' frameworks could not be installed: ${error.message}\n`);
    return null;
  },
);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-guides-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Writes the files of a guide, and returns its programs in their order. A file says its name in its first line. */
async function unpack(guide: string, application: string): Promise<string[]> {
  await copyFile(
    join(ROOT, `packages/sdk-python/tests/guides/${application}.py`),
    join(folder, 'agent.py'),
  );
  const document = await readFile(join(ROOT, `docs/guides/${guide}.md`), 'utf8');
  const examples = [...document.matchAll(/^```python\n(.*?)^```$/gms)].map(([, code = '']) => code);
  const programs: string[] = [];
  for (const code of examples) {
    const name = /^# (\w+\.py)\n/.exec(code)?.[1];
    const file = join(folder, name ?? `${guide}-${programs.length}.py`);
    if (name === undefined) programs.push(file);
    await writeFile(file, code);
  }
  return programs;
}

function start(program: string, more: Record<string, string> = {}): ChildProcess {
  const { PATH = '' } = process.env;
  const { ASSAY_TEST_URL = '' } = readEnvironment();
  return spawn(environment?.python ?? '', [program], {
    cwd: folder,
    env: {
      PATH,
      ASSAY_URL: ASSAY_TEST_URL,
      ASSAY_KEY: agent.key,
      ASSAY_AGENT: agent.id,
      STATE_FILE: join(folder, 'state.json'),
      ...more,
    },
  });
}

/** Waits for the end of a program. Returns what it printed; Temporal's runtime may abort after that, at Python's own end. */
async function finish(child: ChildProcess): Promise<string> {
  const [out, complaints] = await Promise.all([
    text(child.stdout!),
    text(child.stderr!),
    once(child, 'close'),
  ]);
  if (child.exitCode !== 0 && out === '') throw new Error(complaints);
  return out;
}

describe.skipIf(environment === null).each([
  { guide: 'llama-index', application: 'llama_index' },
  { guide: 'agent-framework', application: 'agent_framework' },
])('$guide', ({ guide, application }) => {
  test(
    'the first example waits, and runs what a person approved',
    async () => {
      const [waits = ''] = await unpack(guide, application);
      const running = finish(start(waits));
      const edits = { arguments: { amount: 45.5 } };
      const traceId = await decideNext({ decision: 'approve', edits });
      expect(await running).toContain('done: issue_refund A-17 45.5');
      expect(await listExecutions(traceId)).toMatchObject([{ state: 'succeeded' }]);
    },
    TIME_MS,
  );

  test(
    'the model reads why a call did not run',
    async () => {
      const [waits = ''] = await unpack(guide, application);
      const running = finish(start(waits));
      await decideNext({ decision: 'reject', reason: 'it was delivered' });
      expect(await running).toContain('it was delivered');
    },
    TIME_MS,
  );

  test(
    'the second keeps what waits, and the third carries it out in another process',
    async () => {
      const [, keeps = '', goesOn = ''] = await unpack(guide, application);
      expect(await finish(start(keeps))).toContain('A person decides about it');
      await decideNext({ decision: 'approve' });
      expect(await finish(start(goesOn))).toContain('done: issue_refund A-17 90.0');
      await expect(finish(start(goesOn))).rejects.toThrow('AlreadyExecuted');
    },
    TIME_MS,
  );
});

describe.skipIf(environment === null)('temporal', () => {
  let server: ChildProcess;
  let address: string;
  beforeAll(async () => {
    const port = await findPort();
    address = `127.0.0.1:${port}`;
    const program = join(dirname(environment?.python ?? ''), 'temporal');
    const places = ['--headless', '--ip', '127.0.0.1', '--port', String(port)];
    server = spawn(program, ['server', 'start-dev', '--log-level', 'never', ...places], {
      cwd: folder,
      stdio: 'ignore',
    });
    await listens(port);
  }, TIME_MS);
  afterAll(async () => {
    server.kill('SIGKILL');
    await once(server, 'close');
  });

  test(
    'a workflow waits over the end of its worker, and the activity runs once',
    async () => {
      const [starts = '', goesOn = ''] = await unpack('temporal', 'temporal');
      const id = crypto.randomUUID();
      const done = join(folder, id);
      const more = { TEMPORAL_ADDRESS: address, WORKFLOW_ID: id, STATE_FILE: done };
      const first = start(starts, more);
      const traceId = await findHeld();
      first.kill('SIGKILL');
      await once(first, 'close');
      const second = finish(start(goesOn, more));
      await decideNext({ decision: 'approve', edits: { arguments: { amount: 45.5 } } }, traceId);
      expect(await second).toContain('done: issue_refund A-17 45.5');
      expect(await readFile(done, 'utf8')).toBe('A-17\n');
      expect(await listExecutions(traceId)).toMatchObject([{ state: 'succeeded' }]);
    },
    TIME_MS,
  );

  test(
    'a refusal fails the workflow',
    async () => {
      const [starts = ''] = await unpack('temporal', 'temporal');
      const more = { TEMPORAL_ADDRESS: address, WORKFLOW_ID: crypto.randomUUID() };
      const failed = expect(finish(start(starts, more))).rejects.toThrow('it was delivered');
      await decideNext({ decision: 'reject', reason: 'it was delivered' });
      await failed;
    },
    TIME_MS,
  );
});

async function findPort(): Promise<number> {
  const holder = createServer();
  await new Promise<void>((resolve) => void holder.listen(0, '127.0.0.1', resolve));
  const { port } = holder.address() as { port: number };
  await new Promise((resolve) => void holder.close(resolve));
  return port;
}

/** Until something listens there. */
async function listens(port: number): Promise<void> {
  const isOpen = await new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('close', () => socket.destroy());
  });
  if (isOpen) return;
  await new Promise((resolve) => setTimeout(resolve, 100));
  return listens(port);
}
