// A real OpenID provider, certified for what it does, with people who sign in to it in a browser.
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

export interface Person {
  email: string;
  email_verified: boolean;
  name: string;
  groups: string[];
}

export interface OpenIdProvider {
  issuer: string;
  /** People by login name. */
  people: Map<string, Person>;
  /** Signs a person in at `location`; returns the query of the redirect back. */
  visit(location: string, name: string): Promise<URLSearchParams>;
  stop(): Promise<void>;
}

export interface Client {
  clientId: string;
  clientSecret: string;
  redirectUri: string;
}

export async function startOpenIdProvider(clients: readonly Client[]): Promise<OpenIdProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const people = new Map<string, Person>();
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const provider = new Provider(issuer, {
    clients: clients.map(({ clientId, clientSecret, redirectUri }) => ({
      client_id: clientId,
      client_secret: clientSecret,
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: 'client_secret_post',
    })),
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
    findAccount: (_, name) => ({
      accountId: name,
      claims: () => Promise.resolve({ sub: `subject-of-${name}`, ...people.get(name) }),
    }),
    pkce: { required: () => true },
    cookies: { keys: ['a key for the tests of Assay'] },
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }] },
    ttl: {
      Interaction: 60,
      Session: 60,
      Grant: 60,
      AccessToken: 60,
      IdToken: 60,
      AuthorizationCode: 60,
    },
    features: { devInteractions: { enabled: true } },
  });
  const answer = provider.callback();
  server.on('request', (req, res) => void answer(req, res));
  return {
    issuer,
    people,
    visit: (location, name) => visit(location, { issuer, name }),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const MOST_STEPS = 12;

/** Follows redirects and fills forms in, until a redirect leaves the provider. */
async function visit(
  start: string,
  { issuer, name }: { issuer: string; name: string },
): Promise<URLSearchParams> {
  const cookies = new Map<string, string>();
  let next: { url: string; form?: URLSearchParams } = { url: start };
  for (let step = 0; step < MOST_STEPS; step += 1) {
    const { url, form } = next;
    if (!url.startsWith(issuer)) return new URL(url).searchParams;
    const cookie = [...cookies].map(([key, value]) => `${key}=${value}`).join('; ');
    const response = await fetch(url, {
      redirect: 'manual' as const,
      headers: { cookie },
      method: form ? 'POST' : 'GET',
      ...(form && { body: form }),
    });
    for (const set of response.headers.getSetCookie()) {
      const [, key = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(key, value);
    }
    const location = response.headers.get('location');
    next =
      location === null
        ? fillForm(await response.text(), name)
        : { url: new URL(location, url).href };
  }
  throw new Error('the provider does not let go');
}

function fillForm(page: string, name: string): { url: string; form: URLSearchParams } {
  const [, url = ''] = /<form[^>]* action="([^"]+)"/.exec(page) ?? [];
  const [, prompt = ''] = /name="prompt" value="(\w+)"/.exec(page) ?? [];
  if (url === '')
    throw new Error(`no form: ${page.replace(/<style>.*<\/style>/s, '').slice(0, 1000)}`);
  return { url, form: new URLSearchParams({ prompt, login: name, password: 'any' }) };
}
