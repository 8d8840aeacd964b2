// Callers who disconnect before a file, a stream or a long body is complete: the process survives and their work ends.
// @module-tag varied
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, vi } from 'vitest';
import { generateHex } from '../../src/platform/ids.ts';
import { App } from '../faults/apps.ts';
import { chooseRuns, sampleItems } from '../setup/runs.ts';
import {
  createOther,
  departures,
  assertQuick,
  fillTenant,
  disconnectAll,
  longAnswers,
} from './leaving.ts';
import { test as base } from './fixtures.ts';
import { createTenant, startContractHarness, type Tenant } from './tenant.ts';

/** One slot: the next request notices a slot that was not released. */
const ONE_PLACE = { ASSAY_LIMIT_HEAVY: '1' };
/** Every long answer is left twelve times; on a busy machine that takes minutes. */
const LONGEST_MS = 900_000;

const test = base
  .override('harness', async ({}, { onCleanup }) => {
    const harness = await startContractHarness(ONE_PLACE);
    onCleanup(() => harness.stop());
    return harness;
  })
  .extend('tenant', { scope: 'file' }, async ({ harness }) => {
    const tenant = await createTenant(harness, 'leaving');
    await fillTenant(tenant, { policies: chooseRuns(6, 20), decisions: chooseRuns(30, 400) });
    return tenant;
  });

async function createEmptyFolder(): Promise<string> {
  const folder = join(inject('scratch'), `temporary-${generateHex(6)}`);
  await mkdir(folder);
  return folder;
}

/** Lists collections of the app's database with an open cursor. */
async function openQueries({ harness: { db } }: Tenant): Promise<unknown[]> {
  const isFound = { type: 'idleCursor', ns: new RegExp(`^${db.databaseName}\\.`) };
  const cursors = await db.client
    .db('admin')
    .aggregate([{ $currentOp: { idleCursors: true, allUsers: true } }, { $match: isFound }])
    .toArray();
  return cursors
    .filter(({ cursor }) => cursor?.originatingCommand?.find !== undefined)
    .map(({ ns }) => ns as unknown);
}

test('every file, stream and heavy operation is tried', () => {
  expect(longAnswers.length).toBeGreaterThan(30);
  expect(longAnswers).toContain('GET /api/v1/policies/export-bundle');
  expect(longAnswers).toContain('GET /api/v1/traces/stream');
});

test(
  'one process survives callers who disconnect',
  { tags: ['long'], timeout: LONGEST_MS },
  async ({ tenant, onTestFinished }) => {
    const uncaught: unknown[] = [];
    const note = (error: unknown): void => void uncaught.push(error);
    process.on('uncaughtExceptionMonitor', note);
    onTestFinished(() => void process.off('uncaughtExceptionMonitor', note));
    const temporary = await createEmptyFolder();
    vi.stubEnv('TMPDIR', temporary);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { app } = tenant.harness;
    const other = await createOther(tenant);
    assertQuick(await disconnectAll(app.url, { tenant, other }, sampleItems(departures)));
    expect(await readdir(temporary)).toEqual([]);
    expect(uncaught).toEqual([]);
    await expect.poll(() => openQueries(tenant)).toEqual([]);
    expect(app.logged.filter((line) => /"level":(50|60)/.test(line))).toEqual([]);
  },
);

test(
  'two workers survive callers who disconnect',
  { tags: ['long'], timeout: LONGEST_MS },
  async ({ tenant, onTestFinished }) => {
    const temporary = await createEmptyFolder();
    const { mongoUri } = tenant.harness;
    const environment = { ...ONE_PLACE, DEFAULT_PLAN: 'enterprise', ASSAY_DATA_DIR: temporary };
    const app = new App({ mongoUri, workers: 2, environment });
    await app.start();
    onTestFinished(() => app.kill());
    const files = await readdir(temporary);
    const other = await createOther(tenant);
    assertQuick(await disconnectAll(app.url ?? '', { tenant, other }, departures));
    expect(app.isAlive, app.complaints).toBe(true);
    expect(app.complaints).toBe('');
    expect(await readdir(temporary)).toEqual(files);
    await expect.poll(() => openQueries(tenant)).toEqual([]);
  },
);
