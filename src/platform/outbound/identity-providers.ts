// Identity providers that speak OpenID Connect or plain OAuth 2.0: where a browser is sent, and what its return proves.
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import * as oidc from 'openid-client';
import { AppError } from '../../errors.ts';
import type { Clock } from '../clock.ts';

/** Our registration at an OpenID provider. */
export interface OpenIdRegistration {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** The issuer is Entra's `common`, which stands for all of its tenants: whoever has one may say anything there. */
  shared?: true;
}

/** Our registration at a provider without discovery. */
export interface PlainRegistration extends OpenIdRegistration {
  authorizationUrl: string;
  tokenUrl: string;
}

/** What a browser is sent to the provider with. */
export interface AuthorizationRequest {
  redirectUri: string;
  scope: string;
  state: string;
  /** PKCE: 43 to 128 characters that only we know until the code is exchanged. */
  verifier: string;
  /** Comes back inside the ID token. */
  nonce: string;
  prompt?: string;
}

/** What a browser has come back with. */
export interface AuthorizationResponse {
  /** The redirect address with the query that the browser brought; `state` has been checked. */
  url: URL;
  verifier: string;
  nonce: string;
}

/** What a provider vouches for; only `iss` and `sub` are sure to be there, and to be texts. */
export type Claims = Readonly<Record<string, unknown>> & {
  readonly iss: string;
  readonly sub: string;
};

export interface OpenIdProvider {
  location(request: AuthorizationRequest): Promise<string>;
  /**
   * The claims of the verified ID token; where it lacks one of `wanted`, those of the UserInfo endpoint besides.
   * @throws AppError `FORBIDDEN` for a refusal by the provider, `TOKEN_VERIFICATION_FAILED`, `IDENTITY_PROVIDER_UNAVAILABLE`
   */
  claims(back: AuthorizationResponse, wanted: readonly string[]): Promise<Claims>;
}

export interface PlainProvider {
  location(request: AuthorizationRequest): Promise<string>;
  /** Reads documents in the name of whoever has come back. @throws AppError as `OpenIdProvider.claims` */
  reader(back: AuthorizationResponse): Promise<(url: string) => Promise<unknown>>;
}

export type Fetch = (url: string, options?: RequestInit) => Promise<Response>;

const TIMEOUT_SECONDS = 10;
const DISCOVERY_KEPT_MS = 5 * 60_000;
const DISCOVERIES_KEPT = 1000;
/** How far from now an ID token may have been issued. */
const ISSUED_WITHIN_SECONDS = 600;

/** The library's fetch: whatever cannot be reached is told as one thing. */
const reaching =
  (fetch: Fetch): oidc.CustomFetch =>
  async (url, options) => {
    const response = await fetch(url, options as RequestInit).catch((cause: unknown) => {
      throw unavailable(cause);
    });
    if (response.status >= 500) throw unavailable(new Error(`it answered ${response.status}`));
    return response;
  };

/** Finds out how providers describe themselves, and remembers it for a while. */
function createDiscovery(reach: oidc.CustomFetch) {
  const known = new LRUCache<string, Promise<oidc.Configuration>>({
    max: DISCOVERIES_KEPT,
    ttl: DISCOVERY_KEPT_MS,
  });

  /** The provider's own description of itself, which must name the issuer that was asked for. */
  async function discover({
    issuer,
    clientId,
    clientSecret,
    shared,
  }: OpenIdRegistration): Promise<oidc.Configuration> {
    const execute = isPlain(issuer) ? [oidc.allowInsecureRequests] : [];
    const options = { execute, timeout: TIMEOUT_SECONDS, [oidc.customFetch]: reach };
    const found = await oidc.discovery(
      new URL(issuer),
      clientId,
      clientSecret,
      authentication(clientSecret),
      options,
    );
    const { issuer: name } = found.serverMetadata();
    if (!isSame(name, issuer) && !(shared && name === TENANTS))
      throw new Error(`it calls itself ${name.slice(0, 200)}`);
    // Throws unless it names a place where people can be asked.
    oidc.buildAuthorizationUrl(found, {});
    // Without this the library trusts the connection and leaves the signature alone.
    oidc.enableNonRepudiationChecks(found);
    return found;
  }

  return (party: OpenIdRegistration): Promise<oidc.Configuration> => {
    const key = createHash('sha256').update(JSON.stringify(party)).digest('hex');
    const cached = known.get(key);
    if (cached) return cached;
    const found = discover(party).catch((cause: unknown) => {
      known.delete(key);
      throw appErrorIn(cause) ?? unavailable(cause);
    });
    known.set(key, found);
    return found;
  };
}

/** `fetch` decides which addresses may be reached; nothing follows a redirect. */
export function createIdentityProviders({ fetch, clock }: { fetch: Fetch; clock: Clock }) {
  const reach = reaching(fetch);
  const configurationOf = createDiscovery(reach);

  async function verified(
    configuration: oidc.Configuration,
    { url, verifier, nonce }: AuthorizationResponse,
  ) {
    const tokens = await oidc.authorizationCodeGrant(configuration, url, {
      expectedState: url.searchParams.get('state') ?? '',
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (!claims) throw new Error('there is no ID token');
    const age = clock.now().getTime() / 1000 - claims.iat;
    if (Math.abs(age) > ISSUED_WITHIN_SECONDS)
      throw new Error('the ID token was issued at another time');
    if (claims.azp !== undefined && claims.azp !== configuration.clientMetadata().client_id)
      throw new Error('the ID token was issued to another client');
    return { claims, accessToken: tokens.access_token };
  }

  return {
    /** @throws AppError `IDENTITY_PROVIDER_UNAVAILABLE` when the provider does not describe itself as it must */
    async openId(party: OpenIdRegistration): Promise<OpenIdProvider> {
      const configuration = await configurationOf(party);
      const asksUserInfo = configuration.serverMetadata().userinfo_endpoint !== undefined;
      return {
        location: (request) => location(configuration, request, { nonce: request.nonce }),
        claims: (back, wanted) =>
          told(async () => {
            const { claims, accessToken } = await verified(configuration, back);
            if (!asksUserInfo || wanted.every((name) => claims[name] !== undefined)) return claims;
            return merged(claims, await oidc.fetchUserInfo(configuration, accessToken, claims.sub));
          }),
      };
    },

    plain({
      issuer,
      authorizationUrl,
      tokenUrl,
      clientId,
      clientSecret,
    }: PlainRegistration): PlainProvider {
      const server = { issuer, authorization_endpoint: authorizationUrl, token_endpoint: tokenUrl };
      const secret = oidc.ClientSecretPost(clientSecret);
      const configuration = new oidc.Configuration(server, clientId, clientSecret, secret);
      configuration[oidc.customFetch] = reach;
      configuration.timeout = TIMEOUT_SECONDS;
      if (isPlain(tokenUrl)) oidc.allowInsecureRequests(configuration);
      return {
        location: (request) => location(configuration, request, {}),
        reader: ({ url, verifier }) =>
          told(async () => {
            const expectedState = url.searchParams.get('state') ?? '';
            const checks = { expectedState, pkceCodeVerifier: verifier };
            const { access_token } = await oidc.authorizationCodeGrant(configuration, url, checks);
            return (address) => told(() => readJson(configuration, access_token, address));
          }),
      };
    },
  };
}
export type IdentityProviders = ReturnType<typeof createIdentityProviders>;

const isPlain = (url: string): boolean => url.startsWith('http:');

/** In the body where the provider takes it so, else in the header, which is what takes effect when it says nothing. */
function authentication(secret: string): oidc.ClientAuth {
  const [inBody, inHeader] = [oidc.ClientSecretPost(secret), oidc.ClientSecretBasic(secret)];
  return (...call) => {
    const methods = call[0].token_endpoint_auth_methods_supported ?? [];
    return (methods.includes('client_secret_post') ? inBody : inHeader)(...call);
  };
}

/** The library puts in what the ID token says in `tid`, for this one provider. */
const TENANTS = 'https://login.microsoftonline.com/{tenantid}/v2.0';

const isSame = (name: string, issuer: string): boolean =>
  URL.canParse(name) && new URL(name).href === new URL(issuer).href;

async function location(
  configuration: oidc.Configuration,
  { redirectUri, scope, state, verifier, prompt }: AuthorizationRequest,
  more: Record<string, string>,
): Promise<string> {
  const challenge = await oidc.calculatePKCECodeChallenge(verifier);
  return oidc.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope,
    state,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...(prompt !== undefined && { prompt }),
    ...more,
  }).href;
}

/** The ID token counts; an address and whether it is verified come from the same place. */
function merged(claims: oidc.IDToken, userInfo: oidc.UserInfoResponse): Claims {
  const { email, email_verified } = claims.email === undefined ? userInfo : claims;
  return { ...userInfo, ...claims, email, email_verified };
}

async function readJson(
  configuration: oidc.Configuration,
  accessToken: string,
  url: string,
): Promise<unknown> {
  const response = await oidc.fetchProtectedResource(
    configuration,
    accessToken,
    new URL(url),
    'GET',
  );
  if (response.status !== 200) throw unavailable(new Error(`it answered ${response.status}`));
  return response.json();
}

const unavailable = (cause: unknown): AppError =>
  new AppError('IDENTITY_PROVIDER_UNAVAILABLE', undefined, { cause });

/** The library wraps what the fetch throws. */
function appErrorIn(error: unknown): AppError | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof AppError) return cause;
  return null;
}

/** Whatever is wrong with an answer, as a refusal. */
async function told<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const own = appErrorIn(error);
    if (own) throw own;
    if (error instanceof oidc.AuthorizationResponseError)
      throw new AppError('FORBIDDEN', `The identity provider refused: ${error.error}`);
    throw new AppError(
      'TOKEN_VERIFICATION_FAILED',
      'The answer of the identity provider does not hold',
      {
        cause: error,
      },
    );
  }
}
