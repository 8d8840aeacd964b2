// Steps that tests of the witnessed log share: entries of a chain, sealing, and proofs checked by the reference tree.
import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import {
  hashLeaf,
  isIncluded,
  parseCheckpoint,
  isSignedBy,
  parseNote,
  parseVerifierKey,
  type VerifierKey,
} from '@assay/tlog';
import { computeChainHash, ZERO_HASH } from '../../../src/domain/record/chain.ts';
import { toObjectId, type Harness } from '../../setup/harness.ts';
import {
  assertOk,
  buildDecision,
  createAgent,
  createWorkspaceKey,
  type Owner,
} from '../../setup/personas.ts';
import type { Answer, TestApp } from '../../setup/start-app.ts';
import { signDue } from '../../../src/evidence/log/signing/tree-head-signing.service.ts';

/** Logs are sealed whenever the job runs. */
export const SEALED_AT_ONCE = { ASSAY_LOG: 'on', ASSAY_LOG_SEAL_SECONDS: '0' };

/** Posts decisions, some at a time, and returns the answers in the order of the chain. */
export async function postDecisions(app: TestApp, owner: Owner, count: number): Promise<Answer[]> {
  const agent = await createAgent(app, owner);
  const { key } = await createWorkspaceKey(app, owner);
  const answers: Answer[] = [];
  for (let left = count; left > 0; left -= 50) {
    const post = () => app.call('POST', '/api/v1/traces', { key, body: buildDecision(agent.id) });
    answers.push(...(await Promise.all(Array.from({ length: Math.min(50, left) }, post))));
  }
  return answers
    .map(assertOk)
    .sort((a, b) => a.body.data.hashChain.sequence - b.body.data.hashChain.sequence);
}

/** Posts decisions until answers carry promises: those of an organisation's first batches may come too late. */
export async function warmPromises(app: TestApp, owner: Owner): Promise<void> {
  const isPromised = async () => {
    const [answer] = await postDecisions(app, owner, 1);
    return answer!.body.data.hashChain.promise !== null;
  };
  await expect.poll(isPromised, { timeout: 20_000 }).toBe(true);
}

/** Holds the leases of timed jobs, so that they run only when a test says so. */
export async function holdJobs({ db, app }: Harness, ...names: string[]): Promise<void> {
  const lease = { holder: 'a test', until: new Date('2999-01-01') };
  const leases = db.collection<{ _id: string }>('leases');
  for (const name of names)
    await leases.updateOne({ _id: `job:${name}` }, { $set: lease }, { upsert: true });
  // Those that were under way have ended then.
  await app.instance.runJobsOnce();
}

/** Seals until nothing is left to seal. */
export async function sealAll({ instance }: TestApp): Promise<void> {
  while ((await signDue(instance.platform)) > 0);
}

const fill = (n: number): string => createHash('sha256').update(`payload ${n}`).digest('hex');

/** Inserts rows of a chain as an earlier version may have left them; only what links them is there. */
export async function insertChain(
  { db }: Harness,
  { organizationId }: Owner,
  count: number,
): Promise<string[]> {
  const rows = [];
  let prevHash = ZERO_HASH;
  for (let sequence = 1; sequence <= count; sequence++) {
    const createdAt = new Date(1_760_000_000_000 + sequence);
    const link = { prevHash, payloadDigest: fill(sequence), sequence };
    const chainHash = computeChainHash({ ...link, createdAt: createdAt.toISOString() });
    const row = { organizationId: toObjectId(organizationId), kind: 'trace', traceId: null };
    rows.push({ ...row, ...link, chainHash, createdAt });
    prevHash = chainHash;
  }
  await db.collection('ledger').insertMany(rows);
  return rows.map(({ chainHash }) => chainHash);
}

/** The verifier key of a log, as an auditor has it from the installation. */
export async function readLogKey(app: TestApp, origin: string): Promise<VerifierKey> {
  const { body } = assertOk(await app.call('GET', '/.well-known/assay-log'));
  const heads = parseVerifierKey(body.heads[0])!;
  return { ...heads, name: origin };
}

/** Checks a proof as `GET /hash-chain/anchors/:id/proof` answers it, against the entry's chain hash. */
export async function expectProven(
  app: TestApp,
  // oxlint-disable-next-line typescript/no-explicit-any -- an answer's body
  proof: any,
  chainHash: string,
): Promise<void> {
  const toBytes = (hex: string) => Buffer.from(hex, 'hex');
  const note = parseNote(proof.checkpoint)!;
  const checkpoint = parseCheckpoint(note.text)!;
  expect(isSignedBy(note, await readLogKey(app, proof.origin))).toBe(true);
  expect([checkpoint.origin, checkpoint.size]).toEqual([proof.origin, proof.treeSize]);
  const leaf = hashLeaf(toBytes(chainHash));
  expect(proof.leafHash).toBe(leaf.toString('hex'));
  const path = proof.hashes.map(toBytes);
  expect(isIncluded(leaf, { index: proof.leafIndex, path }, checkpoint)).toBe(true);
}
