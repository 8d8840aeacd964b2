// The Python SDK without a key, against the real service: a real issuer signs the tokens that its tests ask for.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { useTrustStage } from '../api/agents/trusts/trust-stage.ts';
import { useFixture } from '../setup/fixtures.ts';
import { openEnvironment } from './environment.ts';
import { SDK_ENVIRONMENT } from './installed.ts';

const { app, ada, harness, claim, createTrustingAgent } = useTrustStage();
const agents = new Map<string, Awaited<ReturnType<typeof createTrustingAgent>>>();

/** What the tests in Python ask for: an agent with its trust, tokens of its workload, and how many run tokens it has. */
async function answerTest({ method, url = '', headers }: IncomingMessage, res: ServerResponse) {
  const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
  const [, , id = '', what] = pathname.split('/');
  if (method === 'POST') {
    const at = await createTrustingAgent();
    agents.set(at.agent.id, at);
    return res.end(JSON.stringify({ agent: at.agent.id }));
  }
  const at = agents.get(id);
  if (!at) throw new Error(`no agent ${id}`);
  const sign = (more: object): string => at.realm.sign(claim(at.realm, { ...more }));
  if (what === 'token') return res.end(sign(Object.fromEntries(searchParams)));
  if (what === 'runs') {
    const runs = harness.db.collection('run_tokens');
    return res.end(String(await runs.countDocuments({ 'principal.trust': at.trustId })));
  }
  const isAsked = headers.authorization === 'Bearer job' && searchParams.get('api') === '2';
  res.statusCode = isAsked ? 200 : 401;
  const aud = searchParams.get('audience') ?? '';
  return res.end(JSON.stringify(isAsked ? { value: sign({ aud }) } : {}));
}

const issuer = useFixture(
  async () => {
    const server = createServer((req, res) => {
      answerTest(req, res).catch((error: Error) => {
        res.statusCode = 500;
        res.end(error.message);
      });
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
  },
  ({ server }) => server.close(),
);

const environment = openEnvironment(SDK_ENVIRONMENT);

test('test_identity.py', { timeout: 300_000 }, async () => {
  const output = await environment.runTests('test_identity.py', {
    ASSAY_TEST_URL: app.url,
    ASSAY_TEST_TOKEN: ada.token,
    ASSAY_TEST_KEY: '',
    ASSAY_TEST_AGENT: '',
    ASSAY_TEST_ISSUER: issuer.url,
  });
  expect(output).toMatch(/^\d+ passed in/m);
});
