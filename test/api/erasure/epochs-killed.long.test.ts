// A process that is killed in a roll of epochs leaves a key store that reads, and that the next instance finishes.
// @module-tag long
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import type { Orders, Said } from '../../faults/app-process.ts';
import { generateHex } from '../../../src/platform/ids.ts';
import { createDatabaseUri } from '../../setup/databases.ts';
import {
  assertOk,
  buildDecision,
  createOwner,
  createWorkspaceKey,
  type Owner,
} from '../../setup/personas.ts';
import { sendRequest, startApp, type TestApp } from '../../setup/start-app.ts';

/** Before these steps something has changed outside of the process. */
const STEPS = ['record-made', 'switch', 'reseal', 'sign', 'record-destroyed', 'record-erasures'];
/** More than a heartbeat lasts: who was killed is gone then. */
const GONE_MS = 40_000;

const mongoUri = createDatabaseUri();
let ada: Owner;
const environment = {
  ASSAY_ERASURE_CUSTODIAN: 'file',
  ASSAY_ERASURE_CUSTODIAN_FOLDER: join(inject('scratch'), `custodian-${generateHex(6)}`),
  ASSAY_ERASURE_ROLL_MINUTES: '0',
};

async function startProcess(step: string, clockOffsetMs: number) {
  const orders: Orders = {
    mongoUri,
    workers: 1,
    port: 0,
    dieBeforeEpochStep: step,
    environment,
    clockOffsetMs,
  };
  const program = fileURLToPath(new URL('app-process.mjs', inject('built')));
  const child = fork(program, [JSON.stringify(orders)], { stdio: 'inherit', execArgv: [] });
  const ended = once(child, 'exit').then(([, signal]: unknown[]) => signal);
  const [{ url }] = (await once(child, 'message')) as [Said];
  return { url: url!, ended };
}

const at = '/api/v1/erasure';

async function acknowledge(url: string, traceId: string): Promise<object> {
  const body = { traceIds: [traceId], reason: 'asked for' };
  const made = await sendRequest(`${url}${at}/acknowledge`, 'POST', { token: ada.token, body });
  const { acknowledgementId, impactDigest } = assertOk(made).body.data;
  return { acknowledgementId, impactDigest };
}

async function post(app: TestApp, word: string): Promise<{ traceId: string; id: string }> {
  const { key } = await createWorkspaceKey(app, ada);
  const body = buildDecision('clerk', { inputContext: { prompt: word } });
  const { traceId } = assertOk(await app.call('POST', '/api/v1/traces', { key, body })).body.data;
  const { organizationId } = ada;
  const found = await app.instance.platform.models.traces.findOne({ organizationId, traceId });
  return { traceId, id: String(found?._id) };
}

/** Runs an instance that finds what the killed one left. */
async function withInstance(aheadMs: number, work: (app: TestApp) => Promise<void>): Promise<void> {
  const clock = { now: () => new Date(Date.now() + aheadMs) };
  const app = await startApp(environment, { mongoUri, clock });
  try {
    await work(app);
  } finally {
    await app.stop();
  }
}

test('a killed roll is finished by the next instance, and nothing is lost', async () => {
  const gone: string[] = [];
  let stays = { traceId: '', id: '' };
  await withInstance(0, async (app) => {
    ada = await createOwner(app, 'Ada');
    stays = await post(app, 'words that outlast kills');
    for (const step of STEPS) gone.push((await post(app, `erased before ${step}`)).traceId);
    await app.instance.runJobsOnce();
  });

  for (const [index, step] of STEPS.entries()) {
    const aheadMs = (2 * index + 2) * GONE_MS;
    const killed = await startProcess(step, aheadMs);
    const asked = await acknowledge(killed.url, gone[index]!);
    const body = { ...asked, roll: true };
    // The answer may be lost with the process.
    await sendRequest(`${killed.url}${at}/execute`, 'POST', { token: ada.token, body }).catch(
      () => undefined,
    );
    expect([step, await killed.ended]).toEqual([step, 'SIGKILL']);
    await withInstance(aheadMs + GONE_MS, async (app) => {
      const trace = await app.call('GET', `/api/v1/traces/${stays.id}`, ada);
      expect(assertOk(trace).text).toContain('words that outlast kills');
      await app.instance.runJobsOnce();
      await app.instance.runJobsOnce();
      const { acknowledgementId } = asked as { acknowledgementId: string };
      const shown = assertOk(await app.call('GET', `${at}/${acknowledgementId}`, ada)).body.data;
      expect([step, shown.status, shown.destruction.status]).toEqual([
        step,
        'executed',
        'destroyed',
      ]);
      const states = (await app.instance.platform.epochs.store.listEpochs()).map(
        ({ state }) => state,
      );
      expect(states.slice(-2)).toEqual(['destroyed', 'current']);
      const again = await app.call('GET', `/api/v1/traces/${stays.id}`, ada);
      expect(assertOk(again).text).toContain('words that outlast kills');
      const chain = assertOk(await app.call('POST', '/api/v1/hash-chain/verify', ada)).body.data;
      expect(chain.verified).toBe(true);
    });
  }
}, 300_000);
