// Offline: a proof file vouches for a bundle, and an omitted or changed decision is convicted by its answer alone.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { formatVerifierKey } from '@assay/tlog';
import { computeChainHash, ZERO_HASH } from '../../../src/domain/record/chain.ts';
import { toObjectId } from '../../setup/harness.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk } from '../../setup/personas.ts';
import { runVerifier } from './run-verifier.ts';
import { postDecisions, readLogKey, SEALED_AT_ONCE, sealAll, warmPromises } from './log-steps.ts';

const harness = useHarness(SEALED_AT_ONCE);
const ada = useOwner(harness);
const folder = mkdtempSync(join(tmpdir(), 'assay-offline-'));
afterAll(() => rmSync(folder, { recursive: true }));

const get = (path: string) =>
  harness.app.call('GET', `/api/v1/hash-chain${path}`, { token: ada.token });

function save(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** The newest anchor, the keys of its log, of the heads log and of promises. */
async function readEvidence() {
  await sealAll(harness.app);
  const [anchor] = assertOk(await get('/anchors?limit=1')).body.data;
  const { body } = assertOk(await harness.app.call('GET', '/.well-known/assay-log'));
  const logKey = formatVerifierKey(await readLogKey(harness.app, anchor.origin));
  return { anchor, logKey, headsKey: body.heads[0], promiseKey: body.promises[0] };
}

it(
  'proof files of the entry and of its anchor vouch for a whole bundle; an altered one does not',
  { tags: ['long'] },
  async () => {
    await postDecisions(harness.app, ada, 7);
    const { anchor, logKey, headsKey } = await readEvidence();
    const bundle = save('bundle.json', (await get('/bundle?fromSequence=1')).text);
    const at = `/anchors/${anchor.anchorId}/tlog-proof`;
    const proof = (await get(`${at}?sequence=7`)).text;
    const proofs = [
      '--proof',
      save('entry', proof),
      '--proof',
      save('heads', (await get(at)).text),
    ];
    const keys = ['--log', logKey, '--log', headsKey];
    const whole = await runVerifier(bundle, ...proofs, ...keys);
    expect(whole.output).toContain('vouched for by a pin up to: 7');
    expect(whole.output).toContain(`entry 7 is in the log ${anchor.origin} of 7 entries`);
    expect([whole.status, whole.output.slice(0, 6)]).toEqual([0, 'INTACT']);

    const elsewhere = save('elsewhere', proof.replace('index 6', 'index 5'));
    const moved = await runVerifier(bundle, '--proof', elsewhere, ...keys);
    expect([moved.status, moved.output]).toEqual([1, expect.stringContaining('pin')]);
    const unsigned = save('unsigned', proof.replace(/.{10}==?\n$|.{10}\n$/, 'AAAAAAAAAA\n'));
    const refused = await runVerifier(bundle, '--proof', unsigned, ...keys);
    expect(refused.status).toBe(2);
    const foreign = await runVerifier(bundle, '--proof', join(folder, 'entry'), '--log', headsKey);
    expect([foreign.status, foreign.output]).toEqual([2, expect.stringContaining('no key given')]);
    const policy = save(
      'policy',
      'witness w1 w.example/w1+5a5fb5d6+BHvZc0mC5fT7nTfkMK4n2dtR7yV1nTAMmPGqn0N8NjMN\nquorum w1\n',
    );
    expect((await runVerifier(bundle, ...proofs, ...keys, '--policy', policy)).status).toBe(2);
  },
);

it(
  'a kept promise is proved, and one of a decision that was left out is broken, from the answer alone',
  { tags: ['long'] },
  async () => {
    await warmPromises(harness.app, ada);
    const [answer] = (await postDecisions(harness.app, ada, 3)).slice(1);
    const { sequence, traceId } = { ...answer!.body.data.hashChain, ...answer!.body.data };
    const saved = save('answer.json', answer!.text);
    const { anchor, logKey, promiseKey } = await readEvidence();
    const keys = ['--log', logKey, '--promise', saved, '--promise-key', promiseKey];
    const path = (id: string) => `/anchors/${id}/tlog-proof?sequence=${sequence}`;
    const proof = save('kept', (await get(path(anchor.anchorId))).text);
    const kept = await runVerifier('--proof', proof, ...keys);
    expect([kept.status, kept.output]).toEqual([0, 'INTACT\n  the promise was kept\n']);
    expect((await runVerifier(...keys)).status).toBe(2);
    // A bundle with the proof of its last entry decides the promises of all of them.
    const saveLast = async (name: string, { anchorId, treeSize }: typeof anchor) => [
      save(`${name}.json`, (await get('/bundle?fromSequence=1')).text),
      '--proof',
      save(name, (await get(`/anchors/${anchorId}/tlog-proof?sequence=${treeSize}`)).text),
    ];
    const whole = await runVerifier(...(await saveLast('whole', anchor)), ...keys);
    expect([whole.status, whole.output]).toEqual([0, 'INTACT\n  the promise was kept\n']);

    await omitDecision(traceId);
    const forged = await readEvidence();
    expect(forged.anchor).toMatchObject({ origin: anchor.origin, treeSize: anchor.treeSize - 1 });
    const bundle = save('forged.json', (await get('/bundle?fromSequence=1')).text);
    const other = save('other', (await get(path(forged.anchor.anchorId))).text);
    const broken = await runVerifier(bundle, '--proof', other, ...keys);
    expect([broken.status, broken.output]).toEqual([
      1,
      expect.stringContaining(`broken: the log has another entry at ${sequence}`),
    ]);
    const conviction = await runVerifier(...(await saveLast('all', forged.anchor)), ...keys);
    expect([conviction.status, conviction.output]).toEqual([
      1,
      expect.stringContaining(`broken: the log has another entry at ${sequence}`),
    ]);
    const pinned = await runVerifier(bundle, '--proof', other, '--log', logKey, '--pin', saved);
    expect(pinned.status).toBe(1);
  },
);

/** Does what an operator without witnesses could: leaves a decision out, links the others again, and seals every log again. */
async function omitDecision(traceId: string): Promise<void> {
  const organizationId = toObjectId(ada.organizationId);
  const ledger = harness.db.collection('ledger');
  const rows = await ledger.find({ organizationId }).sort({ sequence: 1 }).toArray();
  let [prevHash, sequence] = [ZERO_HASH, 1];
  const forged = rows
    .filter((row) => row.traceId !== traceId)
    .map((row) => {
      const { payloadDigest, createdAt } = row;
      const link = { prevHash, payloadDigest, sequence: sequence++ };
      prevHash = computeChainHash({ ...link, createdAt: createdAt.toISOString() });
      return { ...row, ...link, chainHash: prevHash };
    });
  await ledger.deleteMany({ organizationId });
  for (const name of ['log_heads', 'log_tiles', 'heads_leaves'])
    await harness.db.collection(name).deleteMany({});
  await harness.db.collection('logs').updateMany(
    {},
    {
      $set: { size: 0, root: '', head: '', headId: null, sealedAt: null, levels: [] },
    },
  );
  await ledger.insertMany(forged);
}
