// The SDK without a key: it exchanges the token of its workload, renews the run token in time, and says what is refused.
import { createServer } from 'node:http';
import { mkdtemp, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import {
  file,
  github,
  type Identity,
  token,
} from '../../../packages/sdk-typescript/src/identity.ts';
import { Assay } from '../../../packages/sdk-typescript/src/index.ts';
import { useTrustStage } from '../../api/agents/trusts/trust-stage.ts';

const stage = useTrustStage();
const { app, harness, claim, createTrustingAgent } = stage;
type At = Awaited<ReturnType<typeof createTrustingAgent>>;

afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

const connect = ({ agent }: At, identity: Identity): Assay =>
  new Assay({ url: app.url, agent: agent.id, identity });
const refund = (assay: Assay) =>
  assay.guard('issue_refund', async (_: { order: string }) => 'done')({ order: 'SO-1' });
const sign = ({ realm }: At): string => realm.sign(claim(realm));

test('one run token serves all calls', async () => {
  const at = await createTrustingAgent();
  const read = vi.fn(() => sign(at));
  const assay = connect(at, token(read));
  expect(await Promise.all([refund(assay), refund(assay)])).toEqual(['done', 'done']);
  expect(read).toHaveBeenCalledTimes(1);
  expect(read).toHaveBeenCalledWith(app.url);
  const tokens = await harness.db.collection('run_tokens').countDocuments({
    'principal.trust': at.trustId,
  });
  expect(tokens).toBe(1);
});

test('a run token is renewed at two thirds of its life, and used to its end where that fails', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  let made = 0;
  let isAway = false;
  const fetch = async () =>
    isAway
      ? new Response('', { status: 503 })
      : Response.json({ access_token: `svc_run_${(made += 1)}`, expires_in: 900 });
  const service = { url: 'http://127.0.0.1', agent: 'a', timeout: 1000, fetch };
  const identity = token(() => 'a token');
  const after = async (seconds: number): Promise<string> => {
    vi.setSystemTime(Date.now() + seconds * 1000);
    return identity(service);
  };
  expect([await after(0), await after(599), await after(2)]).toEqual([
    'svc_run_1',
    'svc_run_1',
    'svc_run_2',
  ]);
  isAway = true;
  expect(await after(700)).toBe('svc_run_2');
  await expect(after(201)).rejects.toMatchObject({ name: 'Unavailable', status: 503 });
  isAway = false;
  expect(await after(0)).toBe('svc_run_3');
});

test('a token is read from a file, and one of GitHub from its job', async () => {
  const at = await createTrustingAgent();
  const path = join(await mkdtemp(join(tmpdir(), 'assay-')), 'token');
  await writeFile(path, `${sign(at)}\n`);
  expect(await refund(connect(at, file(path)))).toBe('done');
  const asked: string[] = [];
  const jobs = createServer((req, res) => {
    asked.push(`${req.headers.authorization} ${req.url}`);
    res.end(JSON.stringify({ value: sign(at) }));
  });
  await new Promise<void>((resolve) => jobs.listen(0, '127.0.0.1', resolve));
  const { port } = jobs.address() as AddressInfo;
  vi.stubEnv('ACTIONS_ID_TOKEN_REQUEST_URL', `http://127.0.0.1:${port}/token?api=2`);
  vi.stubEnv('ACTIONS_ID_TOKEN_REQUEST_TOKEN', 'job');
  expect(await refund(connect(at, github({ audience: 'https://assay.example' })))).toBe('done');
  expect(asked).toEqual(['Bearer job /token?api=2&audience=https%3A%2F%2Fassay.example']);
  await new Promise((resolve) => jobs.close(resolve));
});

test('a refusal says why, and nothing is done', async () => {
  const at = await createTrustingAgent();
  const { realm } = at;
  const done = vi.fn(async (_: { order: string }) => 'done');
  const wrong = token(() => realm.sign(claim(realm, { aud: 'https://other.example' })));
  const guarded = connect(at, wrong).guard('issue_refund', done);
  await expect(guarded({ order: 'SO-1' })).rejects.toMatchObject({
    name: 'Unauthorised',
    code: 'invalid_request',
    message: expect.stringContaining('claim `aud`'),
  });
  expect(done).not.toHaveBeenCalled();
  expect(() => new Assay({ identity: wrong, agent: 'support-bot' })).toThrow('24 hex digits');
});
