// The keys of epochs lie with another party, over HTTP: its word is in the erasure, and its absence stops no erasure.
import { readdir } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import { isSignedBy, parseNote, parseVerifierKey } from '@assay/tlog';
import { parseDestruction } from '../../../src/domain/erasure/destruction.ts';
import { createPeerCustodian } from '../../../src/platform/custodian/peer/peer-custodian.ts';
import { holdJobs } from '../log/log-steps.ts';
import { startPeer, TOKEN } from '../../platform/custodian/peer-server.ts';
import { useFixture, useHarness, useOwner } from '../../setup/fixtures.ts';
import { startApp } from '../../setup/start-app.ts';
import { assertOk, buildDecision, createWorkspaceKey } from '../../setup/personas.ts';

const peer = useFixture(startPeer, (started) => started.close());
const harness = useHarness(() => ({
  ASSAY_ERASURE_CUSTODIAN: 'peer',
  ASSAY_ERASURE_PEER_URL: peer.url,
  ASSAY_ERASURE_PEER_TOKEN: TOKEN,
  ASSAY_ERASURE_ROLL_MINUTES: '0',
}));
const { app } = harness;
const ada = useOwner(harness);
let key: string;
beforeAll(async () => {
  await holdJobs(harness, 'erasure.epochs');
  ({ key } = await createWorkspaceKey(app, ada));
});

async function eraseOne(): Promise<string> {
  const { token } = ada;
  const posted = await app.call('POST', '/api/v1/traces', { key, body: buildDecision('clerk') });
  const about = { traceIds: [assertOk(posted).body.data.traceId], reason: 'asked for' };
  const impact = await app.call('POST', '/api/v1/erasure/acknowledge', { token, body: about });
  const { acknowledgementId, impactDigest } = assertOk(impact).body.data;
  const body = { acknowledgementId, impactDigest, roll: true };
  assertOk(await app.call('POST', '/api/v1/erasure/execute', { token, body }));
  await app.instance.runJobsOnce();
  return acknowledgementId;
}

const readDestruction = async (id: string) =>
  assertOk(await app.call('GET', `/api/v1/erasure/${id}`, ada)).body.data.destruction;

test('the peer destroys the key, and states it under its own name', async () => {
  const destruction = await readDestruction(await eraseOne());
  expect(destruction).toMatchObject({ status: 'destroyed', epoch: 1 });
  const peerKey = parseVerifierKey(destruction.verifierKey)!;
  expect(peerKey.name).toBe(`${new URL(peer.url).host}/custodian`);
  const signer = await createPeerCustodian({
    url: peer.url,
    token: { value: TOKEN },
  }).loadSigner();
  expect(peerKey.publicKey).toEqual(signer.publicKey);
  const note = parseNote(destruction.statement)!;
  expect(isSignedBy(note, peerKey)).toBe(true);
  expect(parseDestruction(note.text)).toMatchObject({ epoch: 1 });
  expect((await readdir(peer.folder)).sort()).toEqual(['epoch-2.key', 'statements.pem']);
});

test('while the peer is away an erasure is done and its destruction pending; then that follows', async () => {
  await peer.stop();
  const id = await eraseOne();
  expect(await readDestruction(id)).toMatchObject({ status: 'pending', epoch: 2 });
  const found = await app.call('GET', '/api/v1/traces', ada);
  expect(found.status).toBe(200);
  await peer.start();
  await app.instance.runJobsOnce();
  expect(await readDestruction(id)).toMatchObject({ status: 'destroyed', epoch: 2 });
  const chain = assertOk(await app.call('POST', '/api/v1/hash-chain/verify', ada)).body.data;
  expect(chain).toMatchObject({ verified: true });
});

test('another custodian at the address is not taken for this one', async () => {
  const other = await startPeer();
  try {
    const environment = {
      ASSAY_ERASURE_CUSTODIAN: 'peer',
      ASSAY_ERASURE_PEER_URL: other.url,
      ASSAY_ERASURE_PEER_TOKEN: TOKEN,
    };
    await expect(startApp(environment, { mongoUri: harness.mongoUri })).rejects.toThrow(
      /encrypted under epoch 3, which the custodian "peer 127\.0\.0\.1:\d+" keeps/,
    );
  } finally {
    await other.close();
  }
});
