// Every example of the guides runs as it stands there, in the application that `guides/` has for it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { PREFIX } from './setup/messages-api.ts';
import { useStage } from './setup/stage.ts';

const here = import.meta.dirname;
const { agent, createPolicy, decideNext, harness } = useStage();
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(inject('scratch'), 'guides-'));
  const hold = { type: 'flag_for_review', config: { reason: 'Refunds are looked at' } };
  await createPolicy('Refunds by Claude', `${PREFIX}issue_refund`, hold);
});
afterAll(() => rm(folder, { recursive: true }));

interface Guide {
  name: string;
  /** What stands for the framework, where two versions are installed. */
  framework?: 'ai6' | 'ai7';
}

/** The examples of a guide, in their order. */
async function readExamples(name: string): Promise<string[]> {
  const guide = await readFile(join(here, `../docs/guides/${name}.md`), 'utf8');
  return [...guide.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);
}

let compiled = 0;
async function compile(code: string, { name, framework = 'ai6' }: Guide): Promise<string> {
  const outfile = join(here, `node_modules/.cache/guides/${name}-${framework}-${compiled++}.mjs`);
  await build({
    // What an application keeps open, such as a database, ends with the example.
    stdin: { contents: "import 'example'; process.exit(0);", resolveDir: here },
    plugins: [
      {
        name: 'example',
        setup(builder) {
          builder.onResolve({ filter: /^example$/ }, () => ({
            path: 'example',
            namespace: 'guide',
          }));
          builder.onLoad({ filter: /.*/, namespace: 'guide' }, () => ({
            contents: code,
            loader: 'ts',
            resolveDir: here,
          }));
          builder.onResolve({ filter: /^\.\/agent\.ts$/ }, () => ({
            path: join(here, `guides/${name}.ts`),
          }));
          builder.onResolve({ filter: /^ai$/ }, () => ({ path: framework, external: true }));
        },
      },
    ],
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    outfile,
    logLevel: 'warning',
  });
  return outfile;
}

/** Runs an example to its end. Returns what it printed. */
async function runExample(program: string, environment: Record<string, string>): Promise<string> {
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [program], {
    env: {
      PATH,
      ASSAY_URL: harness.app.url,
      ASSAY_KEY: agent.key,
      MONGO_URI: inject('mongoUri'),
      GRAPH_DATABASE: `${harness.db.databaseName}-guide`,
      STATE_FILE: join(folder, 'state.json'),
      FOLDER: folder,
      ...environment,
    },
  });
  const [out, complaints] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  if (child.exitCode !== 0) throw new Error(complaints);
  return out;
}

const guides: Guide[] = [
  { name: 'vercel-ai-sdk', framework: 'ai6' },
  { name: 'vercel-ai-sdk', framework: 'ai7' },
  { name: 'openai-agents' },
  { name: 'langchain' },
  { name: 'mastra' },
  { name: 'mcp-client' },
  { name: 'claude-agent-sdk' },
];

describe.each(guides)('$name $framework', (guide) => {
  const prepare = async (at: number) => {
    const examples = await readExamples(guide.name);
    return compile(examples[at] ?? '', guide);
  };
  const name = (id: string) => ({ CALL_ID: id, AI_VERSION: guide.framework ?? '' });

  test('the first example waits, and runs what a person approved', async () => {
    const running = runExample(await prepare(0), name(crypto.randomUUID()));
    await decideNext({ decision: 'approve' });
    expect(await running).toContain('done: issue_refund');
  });

  test.skipIf(guide.name === 'claude-agent-sdk')(
    'the second suspends, and the third goes on in another process',
    async () => {
      const call = name(crypto.randomUUID());
      expect(await runExample(await prepare(1), call)).not.toContain('done');
      await decideNext({ decision: 'approve' });
      expect(await runExample(await prepare(2), call)).toContain('done: issue_refund');
    },
  );
});

test('langchain: the graph of one’s own waits, and runs what a person approved', async () => {
  const guide = { name: 'langchain' };
  const [, , , graph = ''] = await readExamples(guide.name);
  const running = runExample(await compile(graph, guide), { CALL_ID: 'call-1' });
  await decideNext({ decision: 'approve' });
  expect(await running).toContain('done: issue_refund');
  await harness.db.client.db(`${harness.db.databaseName}-guide`).dropDatabase();
});
