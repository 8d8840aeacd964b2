// Assay as a witness of a log by others: Tessera, in Go, publishes what Assay has signed, and nothing else.
import { execFile } from 'node:child_process';
import { createHash, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  parseCheckpoint,
  computeKeyId,
  formatVerifierKey,
  isSignedBy,
  LOG_KEY,
  parseNote,
  parseVerifierKey,
  toRawPublicKey,
  verifyCosignature,
} from '@assay/tlog';
import { useHarness } from '../setup/fixtures.ts';
import { assertOk } from '../setup/personas.ts';
import { findGo } from './go.ts';

const runFile = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'assay-witnessed-'));
afterAll(() => rmSync(folder, { recursive: true }));
const go = findGo();
const PROGRAM = 'github.com/transparency-dev/tessera/cmd/examples/posix-oneshot';
beforeAll(async () => {
  const options = { cwd: join(import.meta.dirname, 'check') };
  if (go !== null) await runFile(go, ['build', '-o', `${folder}/`, PROGRAM], options);
});

const ORIGIN = 'tessera.example/log';
const { privateKey } = generateKeyPairSync('ed25519');
const key = {
  name: ORIGIN,
  type: LOG_KEY,
  publicKey: toRawPublicKey(createPublicKey(privateKey)),
};
const seed = privateKey.export({ type: 'pkcs8', format: 'der' }).subarray(-32);
const secret = Buffer.concat([Buffer.of(LOG_KEY), seed]).toString('base64');
const logs = join(folder, 'logs');
writeFileSync(logs, `log ${formatVerifierKey(key)}\n`);
const signer = `PRIVATE+KEY+${ORIGIN}+${computeKeyId(key).toString('hex')}+${secret}`;

const harness = useHarness({ ASSAY_COSIGN_LOGS: logs });
const store = join(folder, 'store');

/** Adds an entry to a log, which is published once the witness has signed. */
async function addEntry(storage: string, text: string, signal?: AbortSignal): Promise<void> {
  const { body } = assertOk(await harness.app.call('GET', '/.well-known/assay-log'));
  const policy = join(folder, 'policy');
  writeFileSync(policy, `witness w ${body.witness} ${harness.app.url}/api/v1/witness\nquorum w\n`);
  const entry = join(folder, 'entry');
  writeFileSync(entry, text);
  const args = ['-storage_dir', storage, '-entries', entry, '-witness_policy_file', policy];
  const env = { ...process.env, LOG_PRIVATE_KEY: signer };
  await runFile(join(folder, 'posix-oneshot'), args, { env, timeout: 60_000, signal });
}

/** The checkpoint that a log publishes; null: none yet. */
function readPublished(storage: string) {
  const path = join(storage, 'checkpoint');
  const note = existsSync(path) ? parseNote(readFileSync(path, 'utf8')) : null;
  return note && { note, checkpoint: parseCheckpoint(note.text)! };
}

it.skipIf(go === null)(
  'each checkpoint of Tessera carries our signature, and we serve it',
  async () => {
    const { body } = assertOk(await harness.app.call('GET', '/.well-known/assay-log'));
    const ours = parseVerifierKey(body.witness)!;
    for (let size = 1; size <= 5; size++) {
      await addEntry(store, `entry ${size}`);
      const { note, checkpoint } = readPublished(store)!;
      expect(checkpoint.size).toBe(size);
      expect(isSignedBy(note, key)).toBe(true);
      const times = note.signatures.map((one) => verifyCosignature(note.text, one, ours));
      expect(times.filter((time) => time !== null).length).toBe(1);
      const digest = createHash('sha256').update(ORIGIN).digest('hex');
      const served = await harness.app.call('GET', `/api/v1/witness/${digest}/checkpoint`);
      expect(parseNote(served.text)!.text).toBe(note.text);
    }
  },
);

/** How often our witness has said that a log has not continued what it knows. */
async function countRefusals(): Promise<number> {
  const { text } = await harness.app.call('GET', '/metrics');
  const counts = text.matchAll(/^assay_witness_requests_total\{status="4\d\d"\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

it.skipIf(go === null)('a copy that goes on in another way is not published', async () => {
  const copy = join(folder, 'copy');
  cpSync(store, copy, { recursive: true });
  await addEntry(store, 'entry 6');
  const before = readPublished(copy)!.checkpoint.size;
  const refusals = await countRefusals();
  const leaving = new AbortController();
  const refused = expect(addEntry(copy, 'another entry', leaving.signal)).rejects.toThrow();
  // The first refusal says which size is known; it would ask for ever.
  await expect.poll(countRefusals, { timeout: 30_000 }).toBeGreaterThan(refusals + 1);
  leaving.abort();
  await refused;
  expect(readPublished(copy)!.checkpoint.size).toBe(before);
  expect(readPublished(store)!.checkpoint.size).toBe(6);
});
