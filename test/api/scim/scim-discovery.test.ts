// SCIM discovery, authentication and rate limits (document 1, sections 4.5, 5 and 8).
import { beforeAll, expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { toObjectId } from '../../setup/harness.ts';
import { assertOk, createOwner } from '../../setup/personas.ts';
import { createDirectory, type Directory } from '../../setup/scim.ts';
import { startApp } from '../../setup/start-app.ts';

let scim: Directory;
const harness = useHarness({ ASSAY_PUBLIC_URL: 'https://assay.example/' });
const ada = useOwner(harness);
beforeAll(async () => {
  scim = await createDirectory(harness.app, ada);
});

const open = (path: string) => harness.app.call('GET', `/scim/v2${path}`);

test('discovery needs no credentials and advertises what works, and nothing else', async () => {
  const config = await open('/ServiceProviderConfig');
  expect(config).toMatchObject({
    status: 200,
    body: {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
      patch: { supported: true },
      bulk: { supported: false },
      filter: { supported: true, maxResults: 200 },
      changePassword: { supported: false },
      sort: { supported: false },
      etag: { supported: false },
      authenticationSchemes: [{ type: 'oauthbearertoken', primary: true }],
      meta: { location: 'https://assay.example/scim/v2/ServiceProviderConfig' },
    },
  });
  expect(config.headers.get('content-type')).toBe('application/scim+json; charset=utf-8');
  const types = (await open('/ResourceTypes')).body;
  expect(types).toMatchObject({
    totalResults: 2,
    Resources: [
      {
        id: 'User',
        endpoint: '/Users',
        schema: 'urn:ietf:params:scim:schemas:core:2.0:User',
        schemaExtensions: [],
      },
      { id: 'Group', endpoint: '/Groups', schema: 'urn:ietf:params:scim:schemas:core:2.0:Group' },
    ],
  });
  expect((await open('/ResourceTypes/Group')).body).toEqual(types.Resources[1]);
  const schemas = (await open('/Schemas')).body;
  expect(schemas.totalResults).toBe(2);
  for (const schema of schemas.Resources)
    expect((await open(`/Schemas/${schema.id}`)).body).toEqual(schema);
  for (const unknown of ['/Schemas/urn:x', '/ResourceTypes/Device', '/Me', '/Bulk', ''])
    expect((await open(unknown)).status, unknown).toBe(404);
});

test('the schemas describe exactly what users and groups show', async () => {
  await scim.provision({
    externalId: 'e',
    name: { formatted: 'f', givenName: 'g', familyName: 'h' },
  });
  const [user, group] = ['/Users?count=1', '/Groups?count=3'].map(
    async (path) => assertOk(await scim.call('GET', path)).body,
  );
  const described = (await open('/Schemas')).body.Resources;
  const common = ['schemas', 'id', 'externalId', 'meta'];
  for (const [index, list] of [await user, await group].entries()) {
    const { attributes } = described[index];
    const resource = list.Resources.at(-1);
    const names = attributes.map(({ name }: { name: string }) => name);
    expect(
      Object.keys(resource)
        .filter((name) => !common.includes(name))
        .sort(),
    ).toEqual(names.sort());
    for (const { name, multiValued, subAttributes } of attributes) {
      expect(Array.isArray(resource[name]), name).toBe(multiValued);
      const [part] = [resource[name]].flat();
      if (subAttributes)
        expect(Object.keys(part).sort()).toEqual(
          subAttributes.map((sub: { name: string }) => sub.name).sort(),
        );
    }
  }
});

test('addresses are absolute where the public address is known', async () => {
  const { id } = await scim.provision();
  const { body } = await scim.call('GET', `/Users/${id}`);
  expect(body.meta.location).toBe(`https://assay.example/scim/v2/Users/${id}`);
  expect(body.groups[0].$ref).toBe('https://assay.example/scim/v2/Groups/member');
});

test('only owners mint the token, it is shown once, kept as a digest, and replaced at once', async () => {
  const minted = assertOk(
    await harness.app.call('POST', '/api/v1/organization/scim-token', { token: ada.token }),
  );
  expect(minted.body.data.token).toMatch(/^scim_[0-9a-f]{48}$/);
  expect((await scim.call('GET', '/Users')).body).toEqual({
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: '401',
    detail: expect.any(String),
  });
  scim = { ...scim, ...(await createDirectory(harness.app, ada)) };
  expect((await scim.call('GET', '/Users')).status).toBe(200);
  const rows = await harness.db
    .collection('scim_tokens')
    .find({ organizationId: toObjectId(ada.organizationId) })
    .toArray();
  expect(rows).toHaveLength(1);
  for (const name of ['scim_tokens', 'audit_entries', 'audit_rows', 'organizations'])
    expect(JSON.stringify(await harness.db.collection(name).find().toArray())).not.toContain(
      scim.token,
    );
});

test('a plan without SCIM is refused with its own code, after the token', async () => {
  const small = await createOwner(harness.app, 'Small');
  const source = await createDirectory(harness.app, small);
  const where = { _id: toObjectId(small.organizationId) };
  await harness.db
    .collection('organizations')
    .updateOne(where, { $set: { 'subscription.plan': 'governance' } });
  await expect.poll(async () => (await source.call('GET', '/Users')).status).toBe(403);
  expect((await source.call('POST', '/Users', { userName: 'a@example.com' })).body).toMatchObject({
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: '403',
    code: 'UPGRADE_REQUIRED',
  });
  expect((await open('/ServiceProviderConfig')).status).toBe(200);
});

test('the limit holds per address and per token, in the shape of SCIM', async () => {
  const app = await startApp({ ASSAY_LIMIT_SCIM: '3' });
  const owner = await createOwner(app, 'Limited');
  const source = await createDirectory(app, owner);
  const statuses = [];
  for (let i = 0; i < 4; i++) statuses.push((await source.call('GET', '/Users')).status);
  expect(statuses).toEqual([200, 200, 200, 429]);
  const refused = await source.call('GET', '/ServiceProviderConfig');
  expect(refused).toMatchObject({
    status: 429,
    body: {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: '429',
    },
  });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(refused.headers.get('ratelimit-remaining')).toBe('0');
  expect((await app.call('GET', '/api/v1/auth/me', { token: owner.token })).status).toBe(200);
  await app.stop();
});
