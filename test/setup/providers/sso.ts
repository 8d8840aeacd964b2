// An organisation with a proved domain and a sign-on of its own, and people who sign on there.
import { randomHex } from '../../../src/platform/ids.ts';
import { Browser, cookieIn, SESSION } from '../browser.ts';
import { objectId, type Ground } from '../harness.ts';
import type { Claims, Realm } from './identity-provider.ts';
import { ok, owner, type Owner } from '../personas.ts';
import type { Answer } from '../start-app.ts';

export interface House {
  boss: Owner;
  /** Proved. */
  domain: string;
  realm: Realm;
}

/** Claims a domain for an organisation, and proves it. */
export async function claimDomain({ db }: Ground, boss: Owner, domain: string): Promise<void> {
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
    .insertOne({ organizationId: objectId(boss.organizationId), domain, ...proof });
}

/** Takes the proof of a domain away. */
export async function unproveDomain({ db }: Ground, boss: Owner, domain: string): Promise<void> {
  const where = { organizationId: objectId(boss.organizationId), domain };
  await db
    .collection('sso_domains')
    .updateOne(where, { $set: { verifiedAt: null, verifiedBy: null } });
}

export async function settle(
  { app }: Ground,
  { boss, realm }: Pick<House, 'boss' | 'realm'>,
  more: object = {},
) {
  const { oidc = {}, ...rest } = more as { oidc?: object };
  const body = { provider: 'oidc', oidc: { ...realm.settings, ...oidc }, ...rest };
  ok(await app.call('PUT', '/api/v1/organization/sso', { token: boss.token, body }));
}

/** A new organisation that signs on at the realm. */
export async function house(ground: Ground, realm: Realm, more: object = {}): Promise<House> {
  const boss = await owner(ground.app, 'Boss');
  const domain = `d${randomHex(5)}.example.org`;
  await claimDomain(ground, boss, domain);
  await settle(ground, { boss, realm }, more);
  return { boss, domain, realm };
}

export const initiate = (browser: Browser, email: string, more: object = {}): Promise<Answer> =>
  browser.call('POST', '/api/v1/auth/sso/initiate', { body: { email, ...more } });

/** Sets out from the dispatcher; answers where the browser is sent. */
export async function setOut(
  browser: Browser,
  { domain }: House,
  more: object = {},
): Promise<string> {
  return ok(await initiate(browser, `someone@${domain}`, more)).body.data.redirectUrl as string;
}

/** The whole way, as somebody whom the provider vouches for. */
export async function signOn(
  ground: Ground,
  at: House,
  person: Claims,
): Promise<{ answer: Answer; browser: Browser }> {
  const browser = new Browser(ground.app);
  const back = at.realm.vouch(await setOut(browser, at), person);
  return { answer: await browser.back(`sso/callback/${at.boss.organizationId}`, back), browser };
}

/** The token of a session that a sign-on opened. */
export function sessionIn(answer: Answer): string {
  const token = cookieIn(answer, SESSION);
  if (token === null)
    throw new Error(`no session: ${answer.headers.get('location') ?? answer.text}`);
  return token;
}
