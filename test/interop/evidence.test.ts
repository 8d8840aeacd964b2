// COSE receipts, time stamps and DSSE envelopes against packages of others, in Python; skipped where they cannot be installed.
import { execFileSync, spawnSync } from 'node:child_process';
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { parseNote } from '@assay/tlog';
import { postDecisions, readLogKey, SEALED_AT_ONCE, sealAll } from '../api/log/log-steps.ts';
import { hasOpenssl, makeTsaFolder, startTsa, type TestTsa } from '../api/log/stamps/tsa-server.ts';
import { useFixture, useHarness, useOwner } from '../setup/fixtures.ts';
import { assertOk } from '../setup/personas.ts';
import { installPackages, python } from './python.ts';

const PACKAGES = ['scitt-cose==0.5.0', 'rfc3161-client==1.0.9', 'securesystemslib==1.6.0'];
const isReady = hasOpenssl && installPackages(PACKAGES);
if (!isReady)
  console.log('Python, its packages or OpenSSL are missing: receipts and stamps are not checked');

const folder = mkdtempSync(join(tmpdir(), 'assay-evidence-'));
afterAll(() => rmSync(folder, { recursive: true }));
const authority = useFixture<{ tsa: TestTsa; certificates: string }>(
  async () => {
    const certificates = await makeTsaFolder();
    return { certificates, tsa: await startTsa(certificates) };
  },
  async ({ tsa, certificates }) => {
    await tsa.stop();
    rmSync(certificates, { recursive: true });
  },
);
const harness = useHarness(() => ({
  ...SEALED_AT_ONCE,
  ASSAY_TSA_URL: authority.tsa.url,
  ASSAY_STAMP_SECONDS: '0',
  ASSAY_OUTBOUND_ALLOW: '127.0.0.1',
}));
const ada = useOwner(harness);

const readAnchors = (path: string) =>
  harness.app.call('GET', `/api/v1/hash-chain/anchors${path}`, { token: ada.token });
const runCheck = (...args: string[]) =>
  spawnSync(python, [join(import.meta.dirname, 'check_evidence.py'), ...args]).status;

function saveFile(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function readFile(path: string): Promise<Buffer> {
  const answer = await fetch(`${harness.app.url}/api/v1/hash-chain/anchors${path}`, {
    headers: { authorization: `Bearer ${ada.token}` },
  });
  expect(answer.status).toBe(200);
  return Buffer.from(await answer.arrayBuffer());
}

it.skipIf(!isReady)('receipts verify, and altered ones do not', async () => {
  const answers = await postDecisions(harness.app, ada, 20);
  await sealAll(harness.app);
  const [anchor] = assertOk(await readAnchors('?limit=1')).body.data;
  const { publicKey } = await readLogKey(harness.app, anchor.origin);
  const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), publicKey]);
  const key = createPublicKey({ key: spki, format: 'der', type: 'spki' });
  const pem = saveFile('log.pem', key.export({ type: 'spki', format: 'pem' }));
  for (const { body } of answers) {
    const { sequence, chainHash } = body.data.hashChain;
    const receipt = await readFile(`/${anchor.anchorId}/receipt?sequence=${sequence}`);
    const file = saveFile(`${sequence}.cose`, receipt);
    expect(runCheck('receipt', file, chainHash, pem)).toBe(0);
    expect(runCheck('receipt', file, 'ab'.repeat(32), pem)).toBe(1);
    const altered = Buffer.from(receipt);
    altered[altered.length - 5] = altered.at(-5)! ^ 1;
    expect(runCheck('receipt', saveFile('altered.cose', altered), chainHash, pem)).toBe(1);
  }
});

it.skipIf(!isReady)('a time stamp verifies for its checkpoint and its root alone', async () => {
  await postDecisions(harness.app, ada, 1);
  await sealAll(harness.app);
  await harness.app.instance.runJobsOnce();
  const [anchor] = assertOk(await readAnchors('?limit=1')).body.data;
  const stamp = saveFile('stamp.tsr', await readFile(`/${anchor.anchorId}/stamp`));
  const proof = assertOk(await readAnchors(`/${anchor.anchorId}/tlog-proof?head=stamped`)).text;
  const { text } = parseNote(proof.slice(proof.indexOf('\n\n') + 2))!;
  expect(runCheck('stamp', stamp, saveFile('text', text), authority.tsa.ca)).toBe(0);
  expect(runCheck('stamp', stamp, saveFile('other', `${text}\n`), authority.tsa.ca)).toBe(1);
  const strange = join(authority.certificates, 'strange.pem');
  expect(runCheck('stamp', stamp, join(folder, 'text'), strange)).toBe(1);
  execFileSync('openssl', ['ts', '-reply', '-in', stamp, '-text']);
});

it.skipIf(!isReady)(
  'an envelope verifies for its entry and its key, and an altered one does not',
  async () => {
    const [answer] = await postDecisions(harness.app, ada, 1);
    await sealAll(harness.app);
    const [anchor] = assertOk(await readAnchors('?limit=1')).body.data;
    const { sequence, chainHash } = answer!.body.data.hashChain;
    const bytes = await readFile(`/${anchor.anchorId}/statement?sequence=${sequence}`);
    const envelope = JSON.parse(bytes.toString());
    const [{ keyid }] = envelope.signatures;
    const { keys } = (await harness.app.call('GET', '/.well-known/jwks.json')).body;
    const jwk = keys.find(({ kid }: { kid: string }) => kid === keyid);
    const toPem = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' });
    const pem = saveFile('manifests.pem', toPem(createPublicKey({ key: jwk, format: 'jwk' })));
    const file = saveFile('statement.json', bytes);
    expect(runCheck('envelope', file, chainHash, pem)).toBe(0);
    expect(runCheck('envelope', file, 'ab'.repeat(32), pem)).toBe(1);
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    expect(runCheck('envelope', file, chainHash, saveFile('other.pem', toPem(publicKey)))).toBe(1);
    const payload = Buffer.from(envelope.payload, 'base64')
      .toString()
      .replace(chainHash, 'ab'.repeat(32));
    envelope.payload = Buffer.from(payload).toString('base64');
    const altered = saveFile('altered.json', JSON.stringify(envelope));
    expect(runCheck('envelope', altered, 'ab'.repeat(32), pem)).toBe(1);
  },
);
