// The portable bundle of policies over HTTP (document 2, section 4.2).
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { compactVerify, importJWK, type JWK } from 'jose';
import { extract } from 'tar-stream';
import { expect, test } from 'vitest';
import { listAuditEntries, createMember, toObjectId } from '../../setup/harness.ts';
import { useOwnHarness, useOwner } from '../../setup/fixtures.ts';
import { LEAVING_DELAYS, disconnectAfter } from '../../setup/leaving.ts';
import { createOwner, assertOk } from '../../setup/personas.ts';
import { generateHex } from '../../../src/platform/ids.ts';
import { loadActiveKey } from '../../../src/evidence/c2pa-kms/signer.service.ts';

const path = '/api/v1/policies/export-bundle';
const harness = useOwnHarness();
const { app } = harness;
const ada = useOwner(harness);
const eve = useOwner(harness, 'Eve');
const sha256 = (data: string | Uint8Array): string =>
  createHash('sha256').update(data).digest('hex');

const policy = {
  name: 'Refunds',
  description: 'A person looks.',
  enabled: true,
  priority: 3,
  conditions: [{ field: 'outputDecision.action', operator: 'equals', value: 'refund' }],
  actions: [{ type: 'flag_for_review' }],
};

async function unpack(archive: Uint8Array): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  const entries = extract();
  Readable.from([gunzipSync(archive)]).pipe(entries);
  for await (const entry of entries) {
    const pieces: Buffer[] = [];
    for await (const piece of entry) pieces.push(piece as Buffer);
    files.set(entry.header.name, Buffer.concat(pieces).toString());
  }
  return files;
}

test('the archive matches its manifest and the preview, and is audited', async () => {
  const made = await app.call('POST', '/api/v1/policies', { token: ada.token, body: policy });
  const { _id: id } = assertOk(made).body.data;
  const preview = assertOk(await app.call('POST', path, { token: ada.token, body: {} })).body.data;
  const answer = await fetch(`${app.url}${path}?download=1`, {
    headers: { authorization: `Bearer ${ada.token}` },
  });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('application/gzip');
  expect(answer.headers.get('content-disposition')).toMatch(/assay-policies-[\d-]+\.tar\.gz"$/);
  const files = await unpack(new Uint8Array(await answer.arrayBuffer()));
  const names = [`policies/${id}.json`, `policies/${id}.adl`];
  expect([...files.keys()]).toEqual(['manifest.json', ...names]);
  const manifest = JSON.parse(files.get('manifest.json') ?? '');
  const { exportedAt, ...same } = preview;
  const unsigned = { signedBy: null, signature: null };
  expect(manifest).toEqual({ ...same, ...unsigned, exportedAt: expect.any(String) });
  expect(exportedAt <= manifest.exportedAt).toBe(true);
  expect(manifest).toMatchObject({ policies: 1, organizationId: ada.organizationId });
  const listed = names.map((name) => {
    const content = files.get(name) ?? '';
    return { name, bytes: Buffer.byteLength(content), sha256: sha256(content) };
  });
  expect(manifest.files).toEqual(listed);
  const canonical = listed.map(
    ({ name, bytes, sha256: sum }) =>
      `{"bytes":${bytes},"name":${JSON.stringify(name)},"sha256":"${sum}"}`,
  );
  expect(manifest.digest).toBe(sha256(`[${canonical.join(',')}]`));
  expect(JSON.parse(files.get(names[0] ?? '') ?? '')).toMatchObject({ id, revision: 1, ...policy });
  const { adl } = assertOk(
    await app.call('GET', `/api/v1/policies/${id}/adl`, { token: ada.token }),
  ).body.data;
  expect(files.get(names[1] ?? '')).toBe(adl);
  expect((await listAuditEntries(app, ada, 'action=policy.export'))[0]).toMatchObject({
    action: 'policy.export',
    status: 'success',
  });
});

test('the digest is signed when there is a signing key, and the public key verifies it', async () => {
  const { kid } = await loadActiveKey(app.instance.platform);
  const preview = assertOk(await app.call('POST', path, { token: ada.token, body: {} })).body.data;
  expect(preview.signedBy).toBe(kid);
  expect(preview).not.toHaveProperty('signature');
  const headers = { authorization: `Bearer ${ada.token}` };
  const answer = await fetch(`${app.url}${path}?download=1`, { headers });
  const files = await unpack(new Uint8Array(await answer.arrayBuffer()));
  const manifest = JSON.parse(files.get('manifest.json') ?? '');
  expect(manifest.signedBy).toBe(kid);
  const published = await fetch(`${app.url}/.well-known/jwks.json`);
  const { keys } = (await published.json()) as { keys: JWK[] };
  const key = await importJWK(keys.find((one) => one.kid === kid) ?? {}, 'ES256');
  const { payload, protectedHeader } = await compactVerify(manifest.signature, key);
  expect(protectedHeader).toEqual({ alg: 'ES256', kid, typ: 'assay-policy-bundle+jws' });
  const { format, version, organizationId, exportedAt, digest } = manifest;
  const signed = JSON.parse(new TextDecoder().decode(payload));
  expect(signed).toEqual({ format, version, organizationId, exportedAt, digest });
  const [head, , tail] = manifest.signature.split('.');
  const other = Buffer.from(JSON.stringify({ ...signed, digest: sha256('[]') })).toString(
    'base64url',
  );
  await expect(compactVerify(`${head}.${other}.${tail}`, key)).rejects.toThrow();
  const audited = await listAuditEntries(app, ada, 'action=policy.export');
  expect(audited[0]).toMatchObject({ metadata: { signedBy: kid, digest } });
});

test('the bundle is sent as a download, to managers only, without policies of other organisations', async () => {
  for (const query of ['', '?download=0', '?download=1&download=1'])
    expect(await app.call('GET', path + query, { token: ada.token })).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR' },
    });
  const auditor = await createMember(harness, ada, 'auditor');
  for (const { token } of [auditor, await createMember(harness, ada, 'member')]) {
    expect((await app.call('GET', `${path}?download=1`, { token })).status).toBe(403);
    expect((await app.call('POST', path, { token, body: {} })).status).toBe(403);
  }
  const theirs = assertOk(await app.call('POST', path, { token: eve.token, body: {} })).body.data;
  expect(theirs).toMatchObject({ policies: 0, files: [], digest: sha256('[]') });
});

test('refuses more policies than fit into a bundle', async () => {
  const { insertedCount } = await harness.db.collection('policies').insertMany(
    Array.from({ length: 501 }, () => ({
      ...policy,
      organizationId: toObjectId(eve.organizationId),
      workspaceId: toObjectId(eve.workspaceId),
      revision: 1,
      deletedAt: null,
      createdAt: new Date(),
      updatedAt: new Date(),
    })),
  );
  expect(insertedCount).toBe(501);
  expect(await app.call('POST', path, { token: eve.token, body: {} })).toMatchObject({
    status: 400,
    body: { code: 'INVALID_OPERATION' },
  });
});

test(
  'a client that disconnects within an archive ends neither the process nor a later download',
  { tags: ['long'] },
  async () => {
    const uncaught: unknown[] = [];
    const note = (error: unknown): void => void uncaught.push(error);
    process.on('uncaughtExceptionMonitor', note);
    const zoe = await createOwner(app, 'Zoe');
    const condition = { field: 'input.text', operator: 'contains', value: generateHex(400) };
    const conditions = Array.from({ length: 40 }, () => ({
      ...condition,
      value: generateHex(400),
    }));
    for (let count = 0; count < 20; count++)
      assertOk(
        await app.call('POST', '/api/v1/policies', {
          token: zoe.token,
          body: { ...policy, name: `Refunds ${count}`, conditions },
        }),
      );
    const url = `${app.url}${path}?download=1`;
    for (const delay of LEAVING_DELAYS) await disconnectAfter(delay, url, { token: zoe.token });
    const answer = await fetch(url, { headers: { authorization: `Bearer ${zoe.token}` } });
    const files = await unpack(new Uint8Array(await answer.arrayBuffer()));
    expect(files.size).toBe(41);
    process.off('uncaughtExceptionMonitor', note);
    expect(uncaught).toEqual([]);
  },
);
