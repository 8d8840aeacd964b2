// `assay budgets`: what it prints of limits, and that names of others cannot control the terminal.
import { readFileSync } from 'node:fs';
import { runInThisContext } from 'node:vm';
import { ObjectId } from 'mongodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { Assay } from '../../../packages/sdk-typescript/src/index.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk, buildDecision, createAgent, createOwner } from '../../setup/personas.ts';
import { MovedClock } from '../../setup/second-factor.ts';
import { type Cli, createCli, readJson } from '../cli-stage.ts';
import { COMMAND, expectShown, parseWords } from '../guide-commands.ts';

const clock = new MovedClock();
const harness = useHarness({}, { clock });
const { app } = harness;
const ada = useOwner(harness);
const HOSTILE = '\u001b]0;owned\u0007\u202eeldnur\n\u001b[2J';
const limit = { of: 'action.totalAmount', per: 'agent', window: '24h', most: 100 };

let cli: Cli;
let agent: Awaited<ReturnType<typeof createAgent>>;
beforeAll(async () => {
  cli = await createCli({ ASSAY_URL: app.url, ASSAY_TOKEN: ada.token });
  agent = await createAgent(app, ada);
});

async function createBudget(name: string, given: object, type = 'block'): Promise<string> {
  const conditions = [{ field: 'action.names', operator: 'contains', value: name.split(' ')[0]! }];
  const body = { name, conditions, actions: [{ type, config: { limit: given } }] };
  const made = await app.call('POST', '/api/v1/policies', { token: ada.token, body });
  return assertOk(made).body.data._id;
}
async function spend(tool: string, amount: number, more: object = {}): Promise<string> {
  const outputDecision = { action: { tool, arguments: { amount } } };
  const body = buildDecision(agent.id, { outputDecision, ...more });
  return assertOk(await app.call('POST', '/api/v1/traces', { key: agent.key, body })).body.data
    .traceId;
}
const run = async (...args: string[]): Promise<string> => {
  const { code, out, err } = await cli.run(['budgets', ...args]);
  expect([code, err]).toEqual([0, '']);
  return out;
};

test('without a limit it says so', async () => {
  expect(await run()).toBe('No policy has a limit.\n');
  expect(readJson(await cli.run(['budgets', '--json']))).toEqual([]);
});

test('each limit is said in words, with what is spent, left and open of it, and when there is more', async () => {
  const policyId = await createBudget('refund', limit);
  expect(await run()).toBe(
    'refund: blocks beyond 100 (action.totalAmount) for each agent in 24h\nNothing is spent.\n',
  );
  await spend('refund', 70.5);
  const row = new RegExp(`^${agent.name} +70\\.5 +29\\.5 +70\\.5 +\\S+:00:00\\.000Z$`, 'm');
  await expect.poll(() => run()).toMatch(row);
  expect(await run()).toMatch(/^AGENT +SPENT +LEFT +OPEN +MORE FROM$/m);
  for (const named of ['refund', policyId]) expect(await run('--policy', named)).toMatch(row);
  const [budget] = readJson<{ policyId: string; sums: unknown[] }[]>(
    await cli.run(['budgets', '--policy', 'refund', '--json']),
  );
  expect(budget).toMatchObject({ policyId, ...limit, sums: [{ spent: 70.5, left: 29.5 }] });
});

test('of others it says who shares the sum', async () => {
  await createBudget('order all', { ...limit, per: 'organization' }, 'flag_for_review');
  await createBudget('order session', { ...limit, of: 'acts', per: 'session', window: 'ever' });
  await createBudget('order workspace', { ...limit, of: 'acts', per: 'workspace', window: '1h' });
  await createBudget('order person', { ...limit, of: 'acts', per: 'person' });
  const traceId = await spend('order', 5, { sessionId: 's-1' });
  await expect.poll(() => run('--policy', 'order person')).toMatch(`\n${traceId} `);
  expect(await run('--policy', 'order session')).toMatch(
    new RegExp(
      `^order session: blocks beyond 100 acts for each session in all\n.*\n${agent.name} s-1 +1 +99 +1 +never$`,
      'm',
    ),
  );
  expect(await run('--policy', 'order all')).toMatch(/holds for a person beyond.*\n.*\nall +5 /);
  expect(await run('--policy', 'order workspace')).toMatch(/\n[0-9a-f]{24} +1 /);
});

test('as of a time it shows the sums of then', async () => {
  await createBudget('ships', { ...limit, of: 'acts' });
  await spend('ships', 1);
  await expect.poll(() => run('--policy', 'ships')).toMatch(/ 1 +99 /);
  const at = clock.now().toISOString();
  clock.aheadMs += 1000;
  await spend('ships', 1);
  await expect.poll(() => run('--policy', 'ships')).toMatch(/ 2 +98 /);
  expect(await run('--policy', 'ships', '--at', at)).toMatch(/ 1 +99 /);
});

test('names of others are made harmless', async () => {
  const policyId = await createBudget('evil', { ...limit, of: 'acts', per: 'session' });
  await spend('evil', 1, { sessionId: '\u202eeldnur' });
  await expect.poll(() => run()).toMatch(/evil: .*\n.*\n.*eldnur +1 +99 /);
  // The service itself refuses such a name.
  const name = { $set: { name: `evil ${HOSTILE}` } };
  await harness.db.collection('policies').updateOne({ _id: new ObjectId(policyId) }, name);
  const out = await run();
  expect(out).toMatch(/^evil .\]0;owned.*: blocks beyond/mu);
  expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
});

test.each([
  ['an unknown policy', ['--policy', 'moon'], /No policy moon has a limit/],
  ['an unknown id', ['--policy', 'f'.repeat(24)], /No policy f+ has a limit/],
  ['a hostile name', ['--policy', '\u001b[2J'], /^[^\u001b]*No policy .\[2J has a limit/u],
  ['no time', ['--at', 'yesterday'], /VALIDATION_ERROR/],
])('%s ends with 2 and says what is wrong', async (_, args, message) => {
  const { code, err } = await cli.run(['budgets', ...args]);
  expect([code, err]).toEqual([2, expect.stringMatching(message)]);
});

test('other organisations see nothing of it, and without a session it says so', async () => {
  const eve = await createOwner(app, 'Eve');
  const other = await createCli({ ASSAY_URL: app.url, ASSAY_TOKEN: eve.token });
  expect((await other.run(['budgets'])).out).toBe('No policy has a limit.\n');
  const { code, err } = await (await createCli({ ASSAY_URL: app.url })).run(['budgets']);
  expect([code, err]).toEqual([2, expect.stringContaining('Sign in first')]);
});

describe('the guide', () => {
  const guide = readFileSync('docs/guides/budgets.md', 'utf8');
  const readBlock = (language: string): string =>
    new RegExp(`\`\`\`${language}\\n(.*?)\\n\`\`\``, 's').exec(guide)![1]!;
  const shop = useOwner(harness);

  test('its commands do what it shows', async () => {
    const shopCli = await createCli({ ASSAY_URL: app.url, ASSAY_TOKEN: shop.token });
    const till = await createAgent(app, shop, 'till');
    const ask = (tool: string, amount: number) =>
      app.call('POST', '/api/v1/traces', {
        key: till.key,
        body: buildDecision(till.id, {
          outputDecision: { action: { tool, arguments: { amount } } },
        }),
      });
    const TIME = clock.now().toISOString();
    const done: string[] = [];
    for (const [, command = '', shown = ''] of guide.matchAll(COMMAND)) {
      const [program, ...args] = parseWords(command).map((word) =>
        word === '$TIME' ? TIME : word,
      );
      done.push(`${program} ${args[0]}`);
      if (program === 'curl') {
        const [, raw = ''] = /-d '(.*)'/s.exec(command)!;
        const { pathname } = new URL(args[1]!);
        const own = raw.replace('ada@example.com', shop.email);
        assertOk(await app.call('POST', pathname, { token: shop.token, raw: own }));
        continue;
      }
      if (shown !== '') {
        for (const amount of [70, 350]) assertOk(await ask('issue_refund', amount));
        const read = async () => (await shopCli.run(args)).out;
        await expect.poll(read).toMatch(/^till +420/m);
      }
      const ran = await shopCli.run(args);
      expect([ran.code, ran.err], command).toEqual([0, '']);
      if (shown === '') expect(ran.out).toMatch(/^Refunds of a day: .*\nNothing is spent\.$/m);
      else expectShown(ran.out, shown);
    }
    expect(done).toEqual(['curl -s', 'curl -s', 'assay budgets', 'assay budgets', 'curl -s']);
    const notice: unknown = JSON.parse(readBlock('json'), (_, value: unknown) =>
      value === '…' ? expect.any(String) : value,
    );
    const blocked = await ask('issue_refund', 90);
    expect([blocked.status, blocked.body.code]).toEqual([403, 'SVC_BLOCKED_BY_POLICY']);
    expect(blocked.body.data.limits).toEqual(notice);
    expect(blocked.body.data.tags).toContain('LIMIT_REACHED');
    // One sum: held beyond 300, and blocked beyond 500.
    const statuses = [];
    for (const amount of [300, 100, 250]) statuses.push((await ask('order', amount)).status);
    expect(statuses).toEqual([201, 202, 403]);
    const queue = await app.call('GET', '/api/v1/review-queue', { token: shop.token });
    expect(queue.text).toContain('The limit is 300 (action.totalAmount) for each agent in 24h');
  });

  test('its function says what was used', async () => {
    const key = agent.key;
    const policy = await createBudget('issue_refund', limit);
    const assay = new Assay({ url: app.url, key });
    const issueRefund = async ({ amount }: { amount: number }) => ({ paid: amount - 10 });
    const code = `(assay, issueRefund) => { ${readBlock('ts')}; return refund; }`;
    const make = runInThisContext(code) as (...given: unknown[]) => typeof issueRefund;
    await make(assay, issueRefund)({ amount: 60 });
    await expect.poll(() => run('--policy', policy)).toMatch(/ 50 +50 +0 /);
  });
});
