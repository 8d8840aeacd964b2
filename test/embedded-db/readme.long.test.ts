// The tutorial of the README and the guides after it: their commands run one after the other in an empty folder.
// @module-tag long
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { has } from '../domain/tools.ts';
import { machine, slow } from './server-process.ts';

const ROOT = join(import.meta.dirname, '../..');
const readDocument = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
/** Documents and their sections whose commands make up the walk. */
const WALK = [
  ['README.md', 'A first decision'],
  ['README.md', 'Verify it offline'],
  ['docs/guides/audit-bundle.md', 'Make one'],
  ['docs/getting-started.md', '5. Review what was held'],
  ['docs/guides/webhooks.md', 'Make one'],
  ['docs/guides/policies.md', 'Write one'],
] as const;
const PLACEHOLDER = 'KEY=svc_live_...';

/** The commands of a section; within a block, blank lines separate them. */
function commandsOf([file, title]: (typeof WALK)[number]): string[] {
  const [, section = ''] =
    new RegExp(`^##+ ${title}\n([^]*?)^##`, 'm').exec(readDocument(file)) ?? [];
  return [...section.matchAll(/^```sh\n([^]*?)^```$/gm)].flatMap(([, block = '']) =>
    block.split('\n\n'),
  );
}

test.skipIf(!has('curl'))('ends with an intact record', slow, async (context) => {
  const { folder, start } = await machine(context);
  const { url, output } = await start();
  const [printed = ''] = /TOKEN=[^]*$/.exec(output()) ?? [];
  const script = [
    printed.replace(/^ *curl /m, 'KEY_ANSWER=$(curl ').trimEnd() + ')',
    `KEY=$(printf %s "$KEY_ANSWER" | node -p 'JSON.parse(fs.readFileSync(0)).data.key')`,
    ...WALK.flatMap(commandsOf),
  ]
    .join('\necho; echo "--"\n')
    .replace(PLACEHOLDER, '')
    .replaceAll('http://127.0.0.1:3000', url)
    .replaceAll('npx tsx scripts/', `tsx ${ROOT}/scripts/`);
  expect(readDocument('README.md')).toContain(PLACEHOLDER);
  const options = {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: `${ROOT}/node_modules/.bin:${process.env.PATH}` },
  } as const;
  const steps = execFileSync('sh', ['-ec', script], options).split('\n--\n');
  const said = steps.map((step) => step.trim()).filter((step) => step !== '');
  expect(said[0]).toContain('"status":"approved"');
  expect(said[1]).toContain('"type":"flag_for_review"');
  expect(said[2]).toContain('"status":"flagged"');
  expect(said[3]).toMatch(/^INTACT\n/);
  expect(said[3]).toContain('vouched for by a pin up to: 2');
  expect(said[4]).toMatch(/^INTACT\n/);
  expect(said[4]).toContain('manifest signed by the trusted key');
  expect(said[5]).toContain('"status":"approved"');
  expect(said[6]).toContain('"signingSecret":"whsec_');
  expect(said[7]).toContain('"name":"Larger refunds"');
});

test('files that the tutorial writes into the checkout are ignored by git and the formatter', () => {
  const written = WALK.flatMap(commandsOf)
    .join('\n')
    .matchAll(/(?:-o|tee|>) ([\w.-]+)/g);
  const files = [...written].map(([, file = '']) => file);
  expect(files).toContain('receipt.json');
  for (const file of new Set(files)) {
    const ignored = execFileSync('git', ['check-ignore', '--no-index', file], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect(ignored.trim()).toBe(file);
  }
});

test(
  'a second start on a data folder in use is refused before the search for a database',
  slow,
  async (context) => {
    const { start } = await machine(context);
    await start();
    const second = await start({ MONGOD_BINARY: '/nowhere/mongod' });
    expect(await second.ended).toBe(1);
    expect(second.output()).toContain('is in use by another instance');
    expect(second.output()).not.toContain('/nowhere/mongod');
  },
);
