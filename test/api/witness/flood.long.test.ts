// A stranger floods the witness: it is refused cheaply and then counted out, and the logs that are known wait for none of it.
// @module-tag long
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { formatVerifierKey } from '@assay/tlog';
import { useFixture, useHarness } from '../../setup/fixtures.ts';
import { TestLog } from './test-log.ts';

const log = new TestLog('log.example/known');
/** Signs under the same name, with a key that the operator has not named. */
const stranger = new TestLog('log.example/known');
const unknown = new TestLog('log.example/unknown');
const LIMIT = 40;
const FLOOD = 300;

const files = useFixture<{ folder: string; logs: string }>(
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'assay-flood-'));
    const logs = join(folder, 'logs');
    writeFileSync(logs, `log ${formatVerifierKey(log.key)}\n`);
    return Promise.resolve({ folder, logs });
  },
  ({ folder }) => rmSync(folder, { recursive: true }),
);
const harness = useHarness(() => ({
  ASSAY_COSIGN_LOGS: files.logs,
  ASSAY_TRUST_PROXY: 'loopback',
  ASSAY_LIMIT_IP: String(LIMIT),
}));

async function send(from: string, body: string): Promise<{ status: number; text: string }> {
  const response = await fetch(`${harness.app.url}/api/v1/witness/add-checkpoint`, {
    method: 'POST',
    headers: { 'x-forwarded-for': from },
    body,
  });
  return { status: response.status, text: await response.text() };
}

/** Requests that cost as much as a stranger can make them. */
async function writeFlood(): Promise<string[]> {
  const foreign = await stranger.writeRequest(0, 50);
  // A hundred signatures under the known name and key id: the first one decides.
  const note = foreign.slice(foreign.indexOf('\n\n') + 2);
  const line = note.slice(note.lastIndexOf('\n\n') + 2);
  const known = await log.writeRequest(0, 50);
  const [name = ''] = /\u2014 \S+ \S{6}/.exec(known.slice(known.lastIndexOf('\n\n') + 2)) ?? [];
  const forged = `${name}${line.slice(name.length)}`;
  const proof = `${'A'.repeat(43)}=\n`.repeat(63);
  return [
    foreign,
    foreign + line.repeat(90),
    note.slice(0, -line.length).replace(/^/, 'old 0\n\n') + forged.repeat(90),
    await unknown.writeRequest(0, 50),
    `old 7\n${proof}\n${note}`,
    '\u0000'.repeat(16_000),
    'x'.repeat(40_000),
  ];
}

it('a known log is signed for at once while a stranger floods the witness', async () => {
  const bodies = await writeFlood();
  const flood = Promise.all(
    Array.from({ length: FLOOD }, (_, at) => send('203.0.113.7', bodies[at % bodies.length]!)),
  );
  let size = 0;
  for (const next of [1, 2, 5, 40, 41, 300]) {
    const { status, text } = await send('203.0.113.9', await log.writeRequest(size, next));
    expect([status, text.startsWith('\u2014')], text).toEqual([200, true]);
    size = next;
  }
  const statuses = (await flood).map(({ status }) => status);
  expect(statuses.filter((status) => status === 429).length).toBe(FLOOD - LIMIT);
  expect(statuses.filter((status) => ![400, 403, 404, 413, 429].includes(status))).toEqual([]);
  const rows = await harness.db.collection('witnessed_logs').find({}).toArray();
  expect(rows.map(({ size: signed }) => Number(signed))).toEqual([300]);
});
