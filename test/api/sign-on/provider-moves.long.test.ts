// Moves to another protocol or another kind of name: every member keeps their account, and none gets another's.
// @module-tag long
import { beforeEach, expect, test } from 'vitest';
import { completeSignOns } from '../../../src/identity/sign-on/provider-names.migration.ts';
import { useFixture, useHarness } from '../../setup/fixtures.ts';
import { Browser, parseLanding } from '../../setup/browser.ts';
import { listAuditEntries, toObjectId } from '../../setup/harness.ts';
import {
  EMAIL_ATTRIBUTE,
  EMAIL_FORMAT,
  PERSISTENT_FORMAT,
  SamlIdentityProvider,
  useSaml,
} from '../../setup/providers/identity-provider-saml.ts';
import { startHandmadeProvider } from '../../setup/providers/identity-provider.ts';
import { assertOk } from '../../setup/personas.ts';
import {
  setSsoConfig,
  createSsoOrganization,
  readSession,
  signOn,
  type SsoOrganization,
} from '../../setup/providers/sso.ts';
import type { Answer } from '../../setup/start-app.ts';

const SAML_PATH = '/api/v1/auth/saml';
const idp = new SamlIdentityProvider(() => new Date());

let home: SsoOrganization;
const provider = useFixture(startHandmadeProvider, (started) => started.stop());
const harness = useHarness({
  ASSAY_OUTBOUND_ALLOW: '127.0.0.1',
  ASSAY_PUBLIC_URL: 'https://assay.example.com',
});
beforeEach(async () => {
  home = await createSsoOrganization(harness, provider.createRealm());
});

const address = (name: string): string => `${name}@${home.domain}`;
/** The realm speaks SAML under the same name, as Keycloak's do. */
const toSaml = (saml: object = {}): Promise<void> =>
  useSaml(harness, home.owner, { idp, saml: { entityId: home.realm.issuer, ...saml } });

async function bySaml(nameId: string, email: string, nameIdFormat: string | null): Promise<Answer> {
  const browser = new Browser(harness.app);
  const body = { organizationId: home.owner.organizationId };
  const begun = assertOk(await browser.call('POST', `${SAML_PATH}/initiate`, { body }));
  const asked = idp.receive(begun.body.data.redirectUrl);
  const { issuer } = home.realm;
  const SAMLResponse = idp.createResponse(asked, nameId, {
    nameIdFormat,
    responseIssuer: issuer,
    assertionIssuer: issuer,
    attributes: { [EMAIL_ATTRIBUTE]: [email] },
  });
  return browser.postForm(`${SAML_PATH}/callback`, { SAMLResponse, RelayState: asked.relayState });
}
const byOidc = async (claims: object): Promise<Answer> =>
  (await signOn(harness, home, claims as Record<string, unknown>)).answer;

const idIn = async (answer: Answer): Promise<string> => {
  const token = readSession(answer);
  return assertOk(await harness.app.call('GET', '/api/v1/auth/me', { token })).body.data.user._id;
};
const codeIn = (answer: Answer): string | undefined => parseLanding(answer).query.error;

test('from OpenID Connect to SAML at one realm: a member is found by the proved address, and then by the new name', async () => {
  const ada = await idIn(await byOidc({ sub: 'ada-sub', email: address('ada') }));
  await toSaml();
  expect(await idIn(await bySaml('ada-name', address('ada'), PERSISTENT_FORMAT))).toBe(ada);
  expect(await idIn(await bySaml('ada-name', address('renamed'), PERSISTENT_FORMAT))).toBe(ada);
  const other = await bySaml('recycled', address('ada'), PERSISTENT_FORMAT);
  expect(codeIn(other)).toBe('CONFLICT');
});

test('an equal name of the other protocol is another person', async () => {
  const ada = await idIn(await byOidc({ sub: 'ada-sub', email: address('ada') }));
  await toSaml();
  const mal = await idIn(await bySaml('ada-sub', address('mal'), null));
  expect(mal).not.toBe(ada);
  expect(await idIn(await bySaml('ada-sub', address('mal'), null))).toBe(mal);
});

test('another kind of NameID: by the address where the settings ask for it, and refused where they do not', async () => {
  await toSaml();
  const ada = await idIn(await bySaml(address('ada'), address('ada'), EMAIL_FORMAT));
  const changed = (): Promise<Answer> => bySaml('p-1', address('ada'), PERSISTENT_FORMAT);
  expect(codeIn(await changed())).toBe('CONFLICT');
  await toSaml({ nameIdFormat: PERSISTENT_FORMAT });
  expect(await idIn(await changed())).toBe(ada);
  expect(codeIn(await bySaml(address('ada'), address('ada'), EMAIL_FORMAT))).toBe('FORBIDDEN');
  expect(codeIn(await bySaml('p-2', address('ada'), PERSISTENT_FORMAT))).toBe('CONFLICT');
  // A name of an earlier kind does not identify its user under another kind.
  expect(await idIn(await bySaml(address('ada'), address('bob'), PERSISTENT_FORMAT))).not.toBe(ada);
});

test('the kind of NameID is asked for', async () => {
  const policy = async (): Promise<string | undefined> => {
    const body = { organizationId: home.owner.organizationId };
    const begun = assertOk(await harness.app.call('POST', `${SAML_PATH}/initiate`, { body }));
    return /<samlp:NameIDPolicy[^>]*>/.exec(idp.receive(begun.body.data.redirectUrl).xml)?.[0];
  };
  await toSaml();
  expect(await policy()).not.toContain('Format');
  await toSaml({ nameIdFormat: PERSISTENT_FORMAT });
  expect(await policy()).toContain(`Format="${PERSISTENT_FORMAT}"`);
});

test('another claim names people: members are found by the address once, and by the claim ever after', async () => {
  const ada = await idIn(await byOidc({ sub: 's-1', oid: 'o-1', email: address('ada') }));
  await setSsoConfig(harness, home, { oidc: { subjectClaim: 'oid' } });
  expect(await idIn(await byOidc({ sub: 's-1', oid: 'o-1', email: address('ada') }))).toBe(ada);
  expect(await idIn(await byOidc({ sub: 's-9', oid: 'o-1', email: address('new') }))).toBe(ada);
  expect(codeIn(await byOidc({ sub: 's-1', oid: 'o-2', email: address('ada') }))).toBe('CONFLICT');
});

test('a member recreated at the provider: an owner unlinks the member, and the next sign-on links them', async () => {
  const first = await byOidc({ sub: 'before', email: address('ada') });
  const ada = await idIn(first);
  const again = (): Promise<Answer> => byOidc({ sub: 'after', email: address('ada') });
  expect(codeIn(await again())).toBe('CONFLICT');
  const path = `/api/v1/organization/sso/links/${ada}`;
  const { token } = home.owner;
  expect(assertOk(await harness.app.call('DELETE', path, { token })).body.data).toEqual({
    unlinked: true,
  });
  const stale = await harness.app.call('GET', '/api/v1/auth/me', { token: readSession(first) });
  expect(stale.body.code).toBe('SESSION_REVOKED');
  const [entry] = await listAuditEntries(harness.app, home.owner, 'action=organization.sso.unlink');
  expect(entry).toMatchObject({ status: 'success', resourceId: ada });
  expect((await harness.app.call('DELETE', path, { token })).body.code).toBe('NOT_FOUND');
  expect(await idIn(await again())).toBe(ada);
  expect(codeIn(await byOidc({ sub: 'before', email: address('ada') }))).toBe('CONFLICT');
});

test('names of earlier versions get their protocol and kind from the session or the settings', async () => {
  const memberships = harness.db.collection('memberships');
  const where = { organizationId: toObjectId(home.owner.organizationId), signOn: { $ne: null } };
  const forget = (): Promise<unknown> =>
    memberships.updateMany(where, { $unset: { 'signOn.protocol': 1, 'signOn.format': 1 } });
  const { connection } = harness.app.instance.platform;
  const ada = await idIn(await byOidc({ sub: 'ada-sub', email: address('ada') }));
  await toSaml();
  const bob = await idIn(await bySaml('bob', address('bob'), EMAIL_FORMAT));
  const names = async (): Promise<unknown[]> =>
    (await memberships.find(where, { sort: { _id: 1 } }).toArray()).map((row) => row.signOn);
  const before = await names();
  expect(before).toMatchObject([
    { protocol: 'oidc', format: 'sub' },
    { protocol: 'saml', format: EMAIL_FORMAT },
  ]);
  await forget();
  await memberships.createIndex(
    { organizationId: 1, 'signOn.issuer': 1, 'signOn.subject': 1 },
    { name: 'signOn' },
  );
  await completeSignOns(connection);
  await completeSignOns(connection);
  expect(await names()).toEqual(before.map((name) => expect.objectContaining(name as object)));
  expect(await memberships.indexExists('signOn')).toBe(false);
  // Without a session the settings in use decide; the kind of a NameID is unknown then, and learnt at the next sign-on.
  await forget();
  await harness.db.collection('sessions').deleteMany({ 'signOn.subject': { $exists: true } });
  await completeSignOns(connection);
  expect(await names()).toMatchObject([
    { protocol: 'saml', format: null },
    { protocol: 'saml', format: null },
  ]);
  expect(await idIn(await bySaml('bob', address('else'), EMAIL_FORMAT))).toBe(bob);
  expect(await names()).toMatchObject([{ format: null }, { format: EMAIL_FORMAT }]);
  expect(ada).not.toBe(bob);
});
