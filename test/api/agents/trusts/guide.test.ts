// The guide to agents without keys: its commands do what it shows.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { assertOk, createAgent } from '../../../setup/personas.ts';
import { useTrustStage } from './trust-stage.ts';

const stage = useTrustStage();
const { app, ada, claim, provider, exchange } = stage;
const GUIDE = readFileSync('docs/guides/agents-without-keys.md', 'utf8');

/** The part of the guide that a pattern finds. */
function find(pattern: RegExp): string {
  const [, found] = pattern.exec(GUIDE) ?? [];
  if (found === undefined) throw new Error(`the guide has no ${pattern.source}`);
  return found;
}

test('a trust, an exchange, and the refusals that it names', async () => {
  const realm = provider.createRealm();
  const agent = await createAgent(app, ada);
  const body = find(/trusts .*? -d '(.*?)'\n```/s).replace('$ISSUER', realm.issuer);
  assertOk(await stage.createTrust(agent.id, JSON.parse(body) as object));
  const job = { repository_id: '74', environment: 'production' };
  const jwt = realm.sign(claim(realm, { ...job, sub: 'repo:octo-org/octo-repo:environment:x' }));
  const values: Record<string, string> = { $AGENT: agent.id, $JWT: jwt };
  const command = find(/auth\/token \\\n(.*?)\n```/s);
  const form = Object.fromEntries(
    [...command.matchAll(/-d (\w+)=(\S+)/g)].map(([, name = '', value = '']) => [
      name,
      values[value] ?? value,
    ]),
  );
  const answer = assertOk(await exchange(form));
  const shown = JSON.parse(find(/```json\n(.*?)```/s)) as { access_token: string };
  const [prefix = ''] = shown.access_token.split('…');
  expect(answer.body).toEqual({ ...shown, access_token: expect.stringContaining(prefix) });
  const again = await exchange(form);
  expect([again.status, again.body.error]).toEqual([400, 'invalid_request']);
  const key = answer.body.access_token as string;
  const who = assertOk(await app.call('GET', '/api/v1/auth/key', { key })).body.data;
  expect(who).toMatchObject({
    kind: 'agentKey',
    agent: { _id: agent.id },
    run: { workload: { issuer: realm.issuer }, grant: { depth: 1 }, chain: [] },
  });
});
