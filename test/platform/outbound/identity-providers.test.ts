// Special cases of identity providers: Entra's shared issuer, and client authentication.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../../src/platform/clock.ts';
import {
  createIdentityProviders,
  type Fetch,
} from '../../../src/platform/outbound/identity-providers.ts';
import {
  startHandmadeProvider,
  type HandmadeProvider,
} from '../../setup/providers/identity-provider.ts';

const ENTRA = 'https://login.microsoftonline.com';

let provider: HandmadeProvider;
beforeAll(async () => {
  provider = await startHandmadeProvider();
});
afterAll(() => provider.stop());

test('the issuer for all tenants of Entra is accepted for the installation’s own client only', async () => {
  const realm = provider.createRealm(`${ENTRA}/common/v2.0`);
  realm.metadata = { issuer: `${ENTRA}/{tenantid}/v2.0` };
  const fetchThere: Fetch = (url, options) => fetch(url.replace(ENTRA, provider.origin), options);
  const { connectOpenId } = createIdentityProviders({ fetch: fetchThere, clock: systemClock });
  await expect(connectOpenId(realm.settings)).rejects.toMatchObject({
    code: 'IDENTITY_PROVIDER_UNAVAILABLE',
  });
  await expect(connectOpenId({ ...realm.settings, multiTenant: true })).resolves.toBeDefined();
  realm.metadata = { issuer: `${ENTRA}/another-tenant/v2.0` };
  const fresh = { ...realm.settings, clientSecret: 'another', multiTenant: true as const };
  await expect(connectOpenId(fresh)).rejects.toMatchObject({
    code: 'IDENTITY_PROVIDER_UNAVAILABLE',
  });
});

test('metadata are fetched once and cached, and fetched again for another secret', async () => {
  const realm = provider.createRealm();
  const { connectOpenId } = createIdentityProviders({ fetch, clock: systemClock });
  await Promise.all([connectOpenId(realm.settings), connectOpenId(realm.settings)]);
  await connectOpenId(realm.settings);
  expect(realm.asked['openid-configuration']).toBe(1);
  await connectOpenId({ ...realm.settings, clientSecret: 'renewed' });
  expect(realm.asked['openid-configuration']).toBe(2);
});

test.for([
  [['client_secret_post', 'client_secret_basic'], 'body'],
  [['client_secret_basic'], 'header'],
  [undefined, 'header'],
] as const)(
  'a client with the authentication methods %j sends its secret in the %s',
  async ([methods, place]) => {
    const realm = provider.createRealm();
    realm.metadata = { token_endpoint_auth_methods_supported: methods };
    const sent: { header: string | null; body: string }[] = [];
    const watching: Fetch = (url, options) => {
      if (url.endsWith('/token'))
        sent.push({
          header: new Headers(options?.headers).get('authorization'),
          body: String(options?.body as URLSearchParams),
        });
      return fetch(url, options);
    };
    const { connectOpenId } = createIdentityProviders({ fetch: watching, clock: systemClock });
    const url = new URL('https://assay.example.com/callback?code=x&state=y');
    const back = { url, verifier: 'v'.repeat(43), nonce: 'n' };
    await expect((await connectOpenId(realm.settings)).claims(back, [])).rejects.toMatchObject({
      code: 'TOKEN_VERIFICATION_FAILED',
    });
    const [{ header, body } = { header: null, body: '' }] = sent;
    expect([header?.startsWith('Basic ') ?? false, body.includes(realm.clientSecret)]).toEqual(
      place === 'body' ? [false, true] : [true, false],
    );
  },
);

test.each([200, 201, 204, 403, 404, 500])(
  'a provider without OpenID identifies a user only with status 200: %d',
  async (status) => {
    const asked: string[] = [];
    const answering: Fetch = (url) => {
      asked.push(new URL(url).pathname);
      const isToken = url.endsWith('/token');
      const body = isToken ? { access_token: 'token', token_type: 'bearer' } : { login: 'ada' };
      const options = { status: isToken ? 200 : status };
      return Promise.resolve(
        status === 204 && !isToken ? new Response(null, options) : Response.json(body, options),
      );
    };
    const { connectOAuth } = createIdentityProviders({ fetch: answering, clock: systemClock });
    const { reader } = connectOAuth({
      issuer: 'https://provider.example',
      authorizationUrl: 'https://provider.example/authorize',
      tokenUrl: 'https://provider.example/token',
      clientId: 'client',
      clientSecret: 'secret',
    });
    const url = new URL('https://assay.example/callback?code=code&state=state');
    const read = await reader({ url, verifier: 'v'.repeat(43), nonce: 'nonce' });
    const found = read('https://provider.example/user');
    if (status === 200) expect(await found).toEqual({ login: 'ada' });
    else await expect(found).rejects.toMatchObject({ code: 'IDENTITY_PROVIDER_UNAVAILABLE' });
    expect(asked).toEqual(['/token', '/user']);
  },
);

test('a session ends at the provider if it has an address for that, and a false logout token is refused', async () => {
  const realm = provider.createRealm();
  const { connectOpenId } = createIdentityProviders({ fetch, clock: systemClock });
  const end = `${provider.origin}/end`;
  realm.metadata = { end_session_endpoint: end };
  const connected = await connectOpenId(realm.settings);
  const back = { redirectUri: 'https://assay.example.com/out', state: 's', hint: 'ada' };
  expect(connected.buildLogoutUrl(back)).toContain(`${end}?`);
  await expect(connected.verifyLogoutToken('x.y.z')).rejects.toMatchObject({
    code: 'TOKEN_VERIFICATION_FAILED',
  });
  realm.metadata = { end_session_endpoint: undefined };
  const other = await connectOpenId({ ...realm.settings, clientSecret: 'another' });
  expect(other.buildLogoutUrl(back)).toBeNull();
});
