// `assay doctor` says who a key is: of a run token the agent, the workload, and the chain on whose behalf it acts.
import { expect, test } from 'vitest';
import { ACCESS, JWT, SUBJECT, useTrustStage } from '../../api/agents/trusts/trust-stage.ts';
import { assertOk, createAgent } from '../../setup/personas.ts';
import { createCli, readJson } from '../cli-stage.ts';

const { app, ada, clock, claim, createTrustingAgent, exchangeJwt, run } = useTrustStage();
type At = Awaited<ReturnType<typeof createTrustingAgent>>;

interface Check {
  name: string;
  ok: boolean | null;
  detail: string;
}

/** What doctor shows of a key, as JSON and as lines. */
async function diagnose(key: string): Promise<{ checks: Check[]; lines: string[] }> {
  const cli = await createCli({ ASSAY_URL: app.url, ASSAY_KEY: key });
  const { checks } = readJson<{ checks: Check[] }>(await cli.run(['doctor', '--json']));
  const named = checks.filter(({ name }) => ['key', 'workload', 'acts for'].includes(name));
  const { out } = await cli.run(['doctor']);
  return { checks: named, lines: out.split('\n') };
}

/** A run token of an agent on behalf of others. */
async function runFor({ agent, realm }: At, subject: string, type: string): Promise<string> {
  const actor = { actor_token: realm.sign(claim(realm)), actor_token_type: JWT };
  const form = { ...actor, subject_token_type: type };
  return assertOk(await exchangeJwt(agent.id, subject, form)).body.access_token as string;
}

test('of a run token with a chain: each link, the nearest first', async () => {
  const [front, back] = [await createTrustingAgent(), await createTrustingAgent()];
  const ofFront = await runFor(front, ada.token, ACCESS);
  const { checks, lines } = await diagnose(await runFor(back, ofFront, ACCESS));
  expect(checks).toEqual([
    {
      name: 'key',
      ok: true,
      detail: expect.stringMatching(`^run token of ${back.agent.name}, until 20\\d\\d-`),
    },
    { name: 'workload', ok: true, detail: `${SUBJECT}, known by ${back.realm.issuer}` },
    {
      name: 'acts for',
      ok: true,
      detail: expect.stringMatching(`^agent ${front.agent.id}, known by \\S+$`),
    },
    {
      name: 'acts for',
      ok: true,
      detail: expect.stringMatching(`^user ${ada.userId}, known by \\S+$`),
    },
  ]);
  expect(lines.filter((line) => line.startsWith('ok  acts for'))).toEqual([
    expect.stringContaining(front.agent.id),
    expect.stringContaining(ada.userId),
  ]);
});

test('of a run token without a chain, and of a key', async () => {
  const at = await createTrustingAgent();
  const alone = await diagnose(await run(at));
  expect(alone.checks.map(({ name, detail }) => [name, detail]).slice(1)).toEqual([
    ['workload', `${SUBJECT}, known by ${at.realm.issuer}`],
    ['acts for', 'itself'],
  ]);
  const agent = await createAgent(app, ada);
  const { checks } = await diagnose(agent.key);
  expect(checks).toEqual([
    { name: 'key', ok: true, detail: expect.stringMatching(`^agentKey of ${agent.name}, posts`) },
  ]);
});

test('of a run token that has ended: why it is refused, and no chain', async () => {
  const ended = await run(await createTrustingAgent());
  clock.aheadMs += 901_000;
  const { checks, lines } = await diagnose(ended);
  expect(checks).toEqual([{ name: 'key', ok: false, detail: expect.stringMatching(/expired/) }]);
  expect(lines.join('\n')).toContain('NO  key');
});
