// The witnessed log against programs of others, in Go: their libraries, a witness, and a check of all tiles.
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { formatVerifierKey } from '@assay/tlog';
import {
  insertChain,
  postDecisions,
  readLogKey,
  SEALED_AT_ONCE,
  sealAll,
} from '../api/log/log-steps.ts';
import { useHarness, useOwner } from '../setup/fixtures.ts';
import { assertOk, createOwner } from '../setup/personas.ts';
import { startApp } from '../setup/start-app.ts';
import { findGo } from './go.ts';
import { startLitewitness } from './litewitness.ts';
import { askWitnesses } from '../../src/evidence/log/witnesses/log-witnesses.service.ts';

const runFile = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'assay-interop-'));
afterAll(() => rmSync(folder, { recursive: true }));

const go = findGo();
const hasTools = ['ssh-agent', 'ssh-keygen', 'sqlite3'].every(
  (tool) => spawnSync('which', [tool]).status === 0,
);
const PROGRAMS = [
  '.',
  'filippo.io/torchwood/cmd/litewitness',
  'github.com/transparency-dev/tessera/cmd/fsck',
];

const harness = useHarness(SEALED_AT_ONCE);
const ada = useOwner(harness);
const COUNT = 70_000;
/** The tile client of torchwood leaves the last, partial bundle for later. */
const WHOLE = COUNT - (COUNT % 256);
beforeAll(async () => {
  if (go !== null)
    await runFile(go, ['build', '-o', `${folder}/`, ...PROGRAMS], { cwd: 'test/interop/check' });
});
const get = (path: string) =>
  harness.app.call('GET', `/api/v1/hash-chain/anchors${path}`, { token: ada.token });
const program = (name: string) => join(folder, name);

/** The newest anchor, the key of its log, and where its tiles are. */
async function readLog() {
  const [anchor] = assertOk(await get('?limit=1')).body.data;
  const vkey = formatVerifierKey(await readLogKey(harness.app, anchor.origin));
  return { anchor, vkey, url: `${harness.app.url}/log/${anchor.origin.split('/').at(-1)}/` };
}

it.skipIf(go === null)('proofs and tiles verify with the libraries of others', async () => {
  const hashes = await insertChain(harness, ada, COUNT);
  await sealAll(harness.app);
  const { anchor, vkey, url } = await readLog();
  expect(anchor.treeSize).toBe(COUNT);
  for (const sequence of [1, 256, 257, 65_536, 65_537, 69_999, COUNT]) {
    const proof = join(folder, `${sequence}.tlog-proof`);
    const path = `/${anchor.anchorId}/tlog-proof?sequence=${sequence}`;
    writeFileSync(proof, assertOk(await get(path)).text);
    const { stdout } = await runFile(program('check'), [vkey, proof, hashes[sequence - 1]!, url]);
    expect(stdout).toBe(`proven, and ${WHOLE} entries of ${COUNT} read\n`);
    const other = spawnSync(program('check'), [vkey, proof, 'ab'.repeat(32), url]);
    expect([other.status, other.stdout.toString()]).toEqual([1, expect.stringContaining('FAIL')]);
  }
});

it.skipIf(go === null)('the whole log is found sound by the check of another log', async () => {
  const { vkey, url } = await readLog();
  const key = join(folder, 'log.vkey');
  writeFileSync(key, vkey);
  const args = ['-storage_url', url, '-public_key', key, '-ui=false'];
  await runFile(program('fsck'), args, { timeout: 120_000 });
});

/** A port that nothing listens on. */
function findPort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

it.skipIf(go === null || !hasTools)(
  'a witness by others signs each head that continues',
  async () => {
    const { body } = assertOk(await harness.app.call('GET', '/.well-known/assay-log'));
    const [headsKey] = body.heads;
    const witness = await startLitewitness({
      program: program('litewitness'),
      folder,
      port: await findPort(),
      logKey: headsKey,
    });
    const policy = join(folder, 'policy');
    writeFileSync(policy, `witness lite ${witness.vkey} ${witness.url}\nquorum lite\n`);
    const app = await startApp(
      { ...SEALED_AT_ONCE, ASSAY_WITNESS_POLICY: policy, ASSAY_OUTBOUND_ALLOW: '127.0.0.1' },
      { mongoUri: harness.mongoUri },
    );
    try {
      const bob = await createOwner(app, 'Bob');
      for (let round = 1; round <= 20; round++) {
        await postDecisions(app, bob, 1);
        await sealAll(app);
        await askWitnesses(app.instance.platform);
        const path = '/api/v1/hash-chain/anchors?limit=1';
        const [anchor] = assertOk(await app.call('GET', path, { token: bob.token })).body.data;
        expect(anchor).toMatchObject({ treeSize: round, witnessed: true });
      }
      // Set back to the empty tree, as an old backup would be.
      const heads = harness.db.collection('logs');
      await heads.updateOne(
        { chain: 'heads' },
        { $set: { size: 0, root: '', head: '', headId: null, sealedAt: null, levels: [] } },
      );
      await harness.db.collection('log_heads').deleteMany({ headsIndex: null });
      await harness.db.collection('witness_states').deleteMany({});
      await harness.db.collection('heads_leaves').deleteMany({ _id: { $gt: 3 as never } });
      await sealAll(app);
      await askWitnesses(app.instance.platform);
      expect(await heads.findOne({ chain: 'heads' })).toMatchObject({
        frozen: { why: expect.stringContaining('the witness lite knows a larger tree') },
      });
    } finally {
      await app.stop();
      witness.stop();
    }
  },
);
