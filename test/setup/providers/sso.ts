// An organisation with a proved domain and a sign-on of its own, and people who sign on there.
import { generateHex } from '../../../src/platform/ids.ts';
import { Browser, readCookie, SESSION } from '../browser.ts';
import { toObjectId, type Harness } from '../harness.ts';
import type { Claims, Realm } from './identity-provider.ts';
import { assertOk, createOwner, type Owner } from '../personas.ts';
import type { Answer } from '../start-app.ts';

export interface SsoOrganization {
  owner: Owner;
  /** Proved. */
  domain: string;
  realm: Realm;
}

/** Claims a domain for an organisation, and proves it. */
export async function claimDomain({ db }: Harness, owner: Owner, domain: string): Promise<void> {
  const now = new Date();
  const proof = {
    challenge: 'x',
    verifiedAt: now,
    verifiedBy: 'system',
    createdAt: now,
    updatedAt: now,
  };
  await db
    .collection('sso_domains')
    .insertOne({ organizationId: toObjectId(owner.organizationId), domain, ...proof });
}

/** Withdraws the proof of a domain. */
export async function withdrawDomainProof(
  { db }: Harness,
  owner: Owner,
  domain: string,
): Promise<void> {
  const where = { organizationId: toObjectId(owner.organizationId), domain };
  await db
    .collection('sso_domains')
    .updateOne(where, { $set: { verifiedAt: null, verifiedBy: null } });
}

export async function setSsoConfig(
  { app }: Harness,
  { owner, realm }: Pick<SsoOrganization, 'owner' | 'realm'>,
  more: object = {},
) {
  const { oidc = {}, ...rest } = more as { oidc?: object };
  const body = { provider: 'oidc', oidc: { ...realm.settings, ...oidc }, ...rest };
  assertOk(await app.call('PUT', '/api/v1/organization/sso', { token: owner.token, body }));
}

/** A new organisation that signs on at the realm. */
export async function createSsoOrganization(
  harness: Harness,
  realm: Realm,
  more: object = {},
): Promise<SsoOrganization> {
  const owner = await createOwner(harness.app, 'Owner');
  const domain = `d${generateHex(5)}.example.org`;
  await claimDomain(harness, owner, domain);
  await setSsoConfig(harness, { owner, realm }, more);
  return { owner, domain, realm };
}

export const beginLogin = (browser: Browser, email: string, more: object = {}): Promise<Answer> =>
  browser.call('POST', '/api/v1/auth/sso/initiate', { body: { email, ...more } });

/** Begins a login by e-mail address; returns where the browser is sent. */
export async function startLogin(
  browser: Browser,
  { domain }: SsoOrganization,
  more: object = {},
): Promise<string> {
  return assertOk(await beginLogin(browser, `person@${domain}`, more)).body.data
    .redirectUrl as string;
}

/** Signs a person on, whom the provider authenticates. */
export async function signOn(
  harness: Harness,
  at: SsoOrganization,
  person: Claims,
): Promise<{ answer: Answer; browser: Browser }> {
  const browser = new Browser(harness.app);
  const back = at.realm.authorizePerson(await startLogin(browser, at), person);
  return {
    answer: await browser.returnFromProvider(`sso/callback/${at.owner.organizationId}`, back),
    browser,
  };
}

/** The token of a session that a sign-on opened. */
export function readSession(answer: Answer): string {
  const token = readCookie(answer, SESSION);
  if (token === null)
    throw new Error(`no session: ${answer.headers.get('location') ?? answer.text}`);
  return token;
}
