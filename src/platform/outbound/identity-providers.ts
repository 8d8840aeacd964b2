// Relying party of OpenID Connect providers, and client of OAuth 2.0 servers without discovery.
import { perInstance } from '../per-instance.ts';
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import * as oidc from 'openid-client';
import { truncate } from '@assay/json';
import { AppError } from '../../errors.ts';
import type { Clock } from '../clock.ts';
import { createLogoutTokens, type LogoutToken } from './logout-tokens.ts';

/** A client registered with an OpenID provider. */
export interface OpenIdClient {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** The issuer is Entra's `common`, which acts for every tenant: any tenant's administrator controls the claims. */
  multiTenant?: true;
}

/** A client registered with an OAuth 2.0 server. */
export interface OAuthClient extends OpenIdClient {
  authorizationUrl: string;
  tokenUrl: string;
}

export interface AuthorizationRequest {
  redirectUri: string;
  scope: string;
  state: string;
  /** The PKCE code verifier: 43 to 128 characters. */
  verifier: string;
  /** Returned in the ID token. */
  nonce: string;
  prompt?: string;
}

export interface AuthorizationResponse {
  /** The redirect URI with the query of the response; the caller has checked `state`. */
  url: URL;
  verifier: string;
  nonce: string;
}

/** Claims about the end user; only `iss` and `sub` are certain. */
export type Claims = Readonly<Record<string, unknown>> & {
  readonly iss: string;
  readonly sub: string;
};

export interface OpenIdProvider {
  /** The authorization URL. */
  buildAuthorizationUrl(request: AuthorizationRequest): Promise<string>;
  /**
   * Exchanges the code and returns the claims of the ID token. When one of `wanted` is missing, adds those of UserInfo.
   * @throws AppError `FORBIDDEN` for an error response; `TOKEN_VERIFICATION_FAILED`, `IDENTITY_PROVIDER_UNAVAILABLE`
   */
  claims(response: AuthorizationResponse, wanted: readonly string[]): Promise<Claims>;
  /** The URL where a browser ends its session at the provider; null: the provider has none. */
  buildLogoutUrl(request: LogoutLocation): string | null;
  /** Verifies a logout token and returns its contents. @throws AppError like `claims` */
  verifyLogoutToken(token: string): Promise<LogoutToken>;
}

/** A logout that a browser takes to the provider. */
export interface LogoutLocation {
  redirectUri: string;
  state: string;
  /** The person, as the provider names them. */
  hint: string;
}

export interface OAuthServer {
  /** The authorization URL. */
  buildAuthorizationUrl(request: AuthorizationRequest): Promise<string>;
  /** Exchanges the code; the result reads JSON with the access token. @throws AppError like `OpenIdProvider.claims` */
  reader(response: AuthorizationResponse): Promise<(url: string) => Promise<unknown>>;
}

export interface IdentityProviders {
  /** Discovers the provider's metadata. @throws AppError `IDENTITY_PROVIDER_UNAVAILABLE` */
  connectOpenId(client: OpenIdClient): Promise<OpenIdProvider>;
  connectOAuth(client: OAuthClient): OAuthServer;
}

export type Fetch = (url: string, options?: RequestInit) => Promise<Response>;

const TIMEOUT_SECONDS = 10;
const METADATA_TTL_MS = 5 * 60_000;
const MAX_CACHED = 1000;
/** Maximum distance of an ID token's `iat` from now. */
const MAX_TOKEN_AGE_SECONDS = 600;

/** Maps network errors and 5xx to `IDENTITY_PROVIDER_UNAVAILABLE`. */
const fetchOrUnavailable =
  (fetch: Fetch): oidc.CustomFetch =>
  async (url, options) => {
    const response = await fetch(url, options as RequestInit).catch((cause: unknown) => {
      throw createUnavailableError(cause);
    });
    if (response.status >= 500)
      throw createUnavailableError(new Error(`status ${response.status}`));
    return response;
  };

/** Discovers providers and caches their metadata: one login reads it twice. */
function createDiscovery(
  customFetch: oidc.CustomFetch,
): (client: OpenIdClient) => Promise<oidc.Configuration> {
  const cache = new LRUCache<string, Promise<oidc.Configuration>>({
    max: MAX_CACHED,
    ttl: METADATA_TTL_MS,
  });

  /** The metadata must name the issuer that was asked for. */
  async function fetchConfiguration({
    issuer,
    clientId,
    clientSecret,
    multiTenant,
  }: OpenIdClient): Promise<oidc.Configuration> {
    const execute = isInsecure(issuer) ? [oidc.allowInsecureRequests] : [];
    const options = { execute, timeout: TIMEOUT_SECONDS, [oidc.customFetch]: customFetch };
    const configuration = await oidc.discovery(
      new URL(issuer),
      clientId,
      clientSecret,
      createClientAuth(clientSecret),
      options,
    );
    const { issuer: name } = configuration.serverMetadata();
    if (!isSameUrl(name, issuer) && !(multiTenant && name === ENTRA_TENANTS))
      throw new Error(`its metadata names the issuer ${truncate(name, 200)}`);
    // Throws without an authorization endpoint.
    oidc.buildAuthorizationUrl(configuration, {});
    // The library trusts TLS by default and does not verify the signature of the ID token.
    oidc.enableNonRepudiationChecks(configuration);
    return configuration;
  }

  return (client) => {
    const key = createHash('sha256').update(JSON.stringify(client)).digest('hex');
    const cached = cache.get(key);
    if (cached) return cached;
    const configuration = fetchConfiguration(client).catch((cause: unknown) => {
      cache.delete(key);
      throw findAppError(cause) ?? createUnavailableError(cause);
    });
    cache.set(key, configuration);
    return configuration;
  };
}

/** `fetch` decides which addresses may be reached; redirects are not followed. */
export function createIdentityProviders({
  fetch,
  clock,
}: {
  fetch: Fetch;
  clock: Clock;
}): IdentityProviders {
  const customFetch = fetchOrUnavailable(fetch);
  const loadConfiguration = createDiscovery(customFetch);
  const logoutTokens = createLogoutTokens({ fetch: customFetch as Fetch, clock });

  async function redeemCode(
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
    if (!claims) throw new Error('no ID token in the response');
    const age = clock.now().getTime() / 1000 - claims.iat;
    if (Math.abs(age) > MAX_TOKEN_AGE_SECONDS)
      throw new Error('`iat` of the ID token is too far from now');
    if (claims.azp !== undefined && claims.azp !== configuration.clientMetadata().client_id)
      throw new Error('`azp` of the ID token names another client');
    return { claims, accessToken: tokens.access_token };
  }

  return {
    async connectOpenId(client) {
      const configuration = await loadConfiguration(client);
      const { issuer, jwks_uri: jwksUri = '', userinfo_endpoint } = configuration.serverMetadata();
      const hasUserInfo = userinfo_endpoint !== undefined;
      return {
        buildAuthorizationUrl: (request) =>
          buildAuthorizationUrl(configuration, request, { nonce: request.nonce }),
        claims: (response, wanted) =>
          mapErrors(async () => {
            const { claims, accessToken } = await redeemCode(configuration, response);
            if (!hasUserInfo || wanted.every((name) => claims[name] !== undefined)) return claims;
            return mergeClaims(
              claims,
              await oidc.fetchUserInfo(configuration, accessToken, claims.sub),
            );
          }),
        buildLogoutUrl: (request) => buildLogoutUrl(configuration, request),
        verifyLogoutToken: (token) =>
          mapErrors(() =>
            logoutTokens.verify(token, { issuer, clientId: client.clientId, jwksUri }),
          ),
      };
    },

    connectOAuth({ issuer, authorizationUrl, tokenUrl, clientId, clientSecret }) {
      const server = { issuer, authorization_endpoint: authorizationUrl, token_endpoint: tokenUrl };
      const secret = oidc.ClientSecretPost(clientSecret);
      const configuration = new oidc.Configuration(server, clientId, clientSecret, secret);
      configuration[oidc.customFetch] = customFetch;
      configuration.timeout = TIMEOUT_SECONDS;
      if (isInsecure(tokenUrl)) oidc.allowInsecureRequests(configuration);
      return {
        buildAuthorizationUrl: (request) => buildAuthorizationUrl(configuration, request, {}),
        reader: ({ url, verifier }) =>
          mapErrors(async () => {
            const expectedState = url.searchParams.get('state') ?? '';
            const checks = { expectedState, pkceCodeVerifier: verifier };
            const { access_token } = await oidc.authorizationCodeGrant(configuration, url, checks);
            return (resource) => mapErrors(() => readJson(configuration, access_token, resource));
          }),
      };
    },
  };
}
const isInsecure = (url: string): boolean => url.startsWith('http:');

/** `client_secret_post` where the metadata lists it, else `client_secret_basic`, the default of the standard. */
function createClientAuth(secret: string): oidc.ClientAuth {
  const [post, basic] = [oidc.ClientSecretPost(secret), oidc.ClientSecretBasic(secret)];
  return (...call) => {
    const methods = call[0].token_endpoint_auth_methods_supported ?? [];
    return (methods.includes('client_secret_post') ? post : basic)(...call);
  };
}

/** The issuer in Entra's shared metadata; the library replaces the placeholder by the ID token's `tid`. */
const ENTRA_TENANTS = 'https://login.microsoftonline.com/{tenantid}/v2.0';

const isSameUrl = (name: string, issuer: string): boolean =>
  URL.canParse(name) && new URL(name).href === new URL(issuer).href;

async function buildAuthorizationUrl(
  configuration: oidc.Configuration,
  { redirectUri, scope, state, verifier, prompt }: AuthorizationRequest,
  parameters: Record<string, string>,
): Promise<string> {
  const challenge = await oidc.calculatePKCECodeChallenge(verifier);
  return oidc.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope,
    state,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...(prompt !== undefined && { prompt }),
    ...parameters,
  }).href;
}

/** RP-initiated logout, without an ID token hint since ID tokens are not kept. Null for an endpoint that is no URL. */
function buildLogoutUrl(
  configuration: oidc.Configuration,
  { redirectUri, state, hint }: LogoutLocation,
): string | null {
  if (configuration.serverMetadata().end_session_endpoint === undefined) return null;
  const request = { post_logout_redirect_uri: redirectUri, state, logout_hint: hint };
  try {
    return oidc.buildEndSessionUrl(configuration, request).href;
  } catch {
    return null;
  }
}

/** Claims of the ID token take precedence; `email` and `email_verified` come from the same source. */
function mergeClaims(claims: oidc.IDToken, userInfo: oidc.UserInfoResponse): Claims {
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
  if (response.status !== 200) throw createUnavailableError(new Error(`status ${response.status}`));
  return response.json();
}

const createUnavailableError = (cause: unknown): AppError =>
  new AppError('IDENTITY_PROVIDER_UNAVAILABLE', undefined, { cause });

/** The AppError that the library wrapped, if any. */
function findAppError(error: unknown): AppError | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof AppError) return cause;
  return null;
}

/** An error code such as `invalid_client`; any other text of the provider or browser is not repeated. */
const toSafeCode = ({ error }: { error: string }): string =>
  /^[\w.-]{1,64}$/.test(error) ? error : 'with an invalid code';

/** Maps any error about a response to an AppError. */
async function mapErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const own = findAppError(error);
    if (own) throw own;
    if (error instanceof oidc.AuthorizationResponseError)
      throw new AppError(
        'FORBIDDEN',
        `The identity provider returned the error ${toSafeCode(error)}`,
      );
    const reason =
      error instanceof oidc.ResponseBodyError
        ? `The identity provider answered ${toSafeCode(error)}`
        : 'The response of the identity provider is invalid';
    throw new AppError('TOKEN_VERIFICATION_FAILED', reason, { cause: error });
  }
}

/** The providers that users configure for organisations: private networks are refused. */
export const openIdentityProviders = perInstance(({ http, clock }) =>
  createIdentityProviders({ fetch: http.fetch, clock }),
);
