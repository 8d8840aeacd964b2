// In-toto statements about entries, in DSSE envelopes: what is signed is the entry and its proof, byte for byte.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { expect, test } from 'vitest';
import { hashLeaf, isIncluded, parseCheckpoint, isSignedBy, parseNote } from '@assay/tlog';
import { encodePreAuthentication } from '../../../src/domain/provenance/dsse.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk, createOwner } from '../../setup/personas.ts';
import { toOutcome } from '../../setup/start-app.ts';
import { postDecisions, readLogKey, SEALED_AT_ONCE, sealAll } from './log-steps.ts';

const harness = useHarness(SEALED_AT_ONCE);
const { app } = harness;
const ada = useOwner(harness);
const at = '/api/v1/hash-chain/anchors';

test('the example of the DSSE specification has its bytes', () => {
  const bytes = encodePreAuthentication(
    'http://example.com/HelloWorld',
    Buffer.from('hello world'),
  );
  expect(bytes.toString()).toBe('DSSEv1 29 http://example.com/HelloWorld 11 hello world');
});

test('a statement is signed by a published key, and holds all that proves the entry', async () => {
  const [, second] = await postDecisions(app, ada, 3);
  await sealAll(app);
  const [anchor] = assertOk(await app.call('GET', at, ada)).body.data;
  const path = `${at}/${anchor.anchorId}/statement?sequence=2`;
  const answer = await app.call('GET', path, ada);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    200,
    'application/vnd.in-toto.ledger-entry+dsse',
  ]);
  const envelope = JSON.parse(answer.text);
  expect(envelope.payloadType).toBe('application/vnd.in-toto+json');
  const payload = Buffer.from(envelope.payload, 'base64');
  const [{ keyid, sig }] = envelope.signatures;
  const { keys } = (await app.call('GET', '/.well-known/jwks.json')).body;
  const jwk = keys.find(({ kid }: { kid: string }) => kid === keyid);
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  const signed = Buffer.from(`DSSEv1 28 application/vnd.in-toto+json ${payload.length} `);
  const isSigned = (bytes: Buffer) =>
    verify('sha256', Buffer.concat([signed, bytes]), key, Buffer.from(sig, 'base64'));
  expect(isSigned(payload)).toBe(true);
  for (let place = 0; place < payload.length; place += 97) {
    const altered = Buffer.from(payload);
    altered[place]! ^= 1;
    expect([place, isSigned(altered)]).toEqual([place, false]);
  }

  const statement = JSON.parse(payload.toString());
  const { traceId, hashChain } = second!.body.data;
  expect(statement).toMatchObject({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: traceId, digest: { sha256: hashChain.chainHash } }],
    predicateType: 'urn:assay:predicate:ledger-entry:v1',
  });
  const { view, receipt, proof } = statement.predicate;
  expect(view).toMatchObject({ kind: 'trace', traceId, organizationId: ada.organizationId });
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  expect(sha256(JSON.stringify(view))).toBe(receipt.payloadDigest);
  const { prevHash, payloadDigest, sequence, createdAt, chainHash } = receipt;
  expect([sequence, chainHash]).toEqual([2, hashChain.chainHash]);
  expect(sha256(`${prevHash}${payloadDigest}${sequence}${createdAt}`)).toBe(chainHash);
  await expectProven(proof, chainHash, anchor.origin);
});

async function expectProven(proof: string, chainHash: string, origin: string): Promise<void> {
  const end = proof.indexOf('\n\n');
  const [head, index, ...path] = proof.slice(0, end).split('\n');
  expect([head, index]).toEqual(['c2sp.org/tlog-proof@v1', 'index 1']);
  const note = parseNote(proof.slice(end + 2))!;
  expect(isSignedBy(note, await readLogKey(app, origin))).toBe(true);
  const steps = { index: 1, path: path.map((line) => Buffer.from(line, 'base64')) };
  const leaf = hashLeaf(Buffer.from(chainHash, 'hex'));
  expect(isIncluded(leaf, steps, parseCheckpoint(note.text)!)).toBe(true);
}

test('an entry beyond the anchor, and an anchor of others, have none', async () => {
  const [anchor] = assertOk(await app.call('GET', at, ada)).body.data;
  const read = (id: string, sequence: string, who = ada) =>
    app.call('GET', `${at}/${id}/statement?sequence=${sequence}`, who).then(toOutcome);
  expect(await read(anchor.anchorId, String(anchor.treeSize + 1))).toEqual([404, 'NOT_FOUND']);
  expect(await read(anchor.anchorId, '0')).toEqual([400, 'VALIDATION_ERROR']);
  const bob = await createOwner(app, 'Bob');
  expect(await read(anchor.anchorId, '1', bob)).toEqual([404, 'NOT_FOUND']);
});
