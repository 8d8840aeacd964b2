// An OpenID provider that sends and signs what a test demands, with independent issuers.
import { createHash, createHmac, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { generateHex } from '../../../src/platform/ids.ts';

export type Claims = Record<string, unknown>;
/** Answers a request itself, instead of what the provider would say. */
export type Trick = (res: ServerResponse) => void;

export interface KeyPair {
  publicKey: KeyObject;
  privateKey: KeyObject;
}
export const createKeyPair = (): KeyPair => generateKeyPairSync('rsa', { modulusLength: 2048 });

const encodePart = (value: object): string =>
  Buffer.from(JSON.stringify(value)).toString('base64url');

/** A JWT signed with RS256 or HS256 by what the key is; unsigned without one. */
export function signToken(header: object, claims: Claims, key: KeyObject | string | null): string {
  const text = `${encodePart(header)}.${encodePart(claims)}`;
  if (key === null) return `${text}.`;
  const signature =
    typeof key === 'string'
      ? createHmac('sha256', key).update(text).digest()
      : sign('sha256', Buffer.from(text), key);
  return `${text}.${signature.toString('base64url')}`;
}

/** The authorization request with which a browser was sent to a provider. */
export interface AuthorizationRequest {
  state: string;
  nonce: string;
  challenge: string;
  redirectUri: string;
  clientId: string;
  params: URLSearchParams;
}
export function parseAuthorization(location: string): AuthorizationRequest {
  const params = new URL(location).searchParams;
  const [state = '', nonce = '', challenge = '', redirectUri = '', clientId = ''] = [
    ...['state', 'nonce', 'code_challenge', 'redirect_uri', 'client_id'].map(
      (name) => params.get(name) ?? '',
    ),
  ];
  return { state, nonce, challenge, redirectUri, clientId, params };
}

const KID = 'one';
const getNowSeconds = (): number => Math.floor(Date.now() / 1000);
/** Answers with a document, whatever is asked. */
export const createReply =
  (body: unknown, status = 200): Trick =>
  (res) =>
    writeJson(res, status, body);
const writeJson = (res: ServerResponse, status: number, body: unknown): void =>
  void res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

/** One issuer with one client. */
export class Realm {
  readonly issuer: string;
  readonly clientId = `client-${generateHex(4)}`;
  readonly clientSecret = generateHex(16);
  readonly key: KeyPair;
  /** Replaces members of the discovery document. */
  metadata: Record<string, unknown> = {};
  /** Replaced answers, by path below the issuer. */
  tricks: Record<string, Trick> = {};
  /** Claims that the UserInfo endpoint returns. */
  userInfo: Claims = {};
  /** Requests by the path below the issuer. */
  asked: Record<string, number> = {};
  readonly #codes = new Map<string, { asked: AuthorizationRequest; idToken: string | null }>();

  constructor(issuer: string, key: KeyPair) {
    this.issuer = issuer;
    this.key = key;
  }

  get settings() {
    const { issuer, clientId, clientSecret } = this;
    return { issuer, clientId, clientSecret };
  }

  /** The claims that an honest provider would state. */
  claims({ nonce }: AuthorizationRequest, more: Claims = {}): Claims {
    const now = getNowSeconds();
    return { iss: this.issuer, aud: this.clientId, iat: now, exp: now + 300, nonce, ...more };
  }

  sign(
    claims: Claims,
    header: object = {},
    key: KeyObject | string | null = this.key.privateKey,
  ): string {
    return signToken({ alg: 'RS256', kid: KID, ...header }, claims, key);
  }

  /** Issues a one-time code for an authorization request; `idToken` null: without an ID token. */
  code(asked: AuthorizationRequest, idToken: string | null): string {
    const code = generateHex(12);
    this.#codes.set(code, { asked, idToken });
    return code;
  }

  /** Issues a code for a person whom this provider authenticates. */
  authorizePerson(location: string, person: Claims): { code: string; state: string } {
    const asked = parseAuthorization(location);
    return { code: this.code(asked, this.sign(this.claims(asked, person))), state: asked.state };
  }

  async answer(name: string, req: IncomingMessage, res: ServerResponse): Promise<void> {
    this.asked[name] = (this.asked[name] ?? 0) + 1;
    const trick = this.tricks[name];
    if (trick) trick(res);
    else if (name === 'openid-configuration') writeJson(res, 200, this.#description());
    else if (name === 'jwks')
      writeJson(res, 200, {
        keys: [
          { ...this.key.publicKey.export({ format: 'jwk' }), kid: KID, use: 'sig', alg: 'RS256' },
        ],
      });
    else if (name === 'token') this.#exchange(new URLSearchParams(await readText(req)), res);
    else if (name === 'userinfo') writeJson(res, 200, this.userInfo);
    else writeJson(res, 404, {});
  }

  #description(): object {
    return {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      jwks_uri: `${this.issuer}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      token_endpoint_auth_methods_supported: ['client_secret_post'],
      ...this.metadata,
    };
  }

  #exchange(form: URLSearchParams, res: ServerResponse): void {
    const code = form.get('code') ?? '';
    const granted = this.#codes.get(code);
    this.#codes.delete(code);
    const isClient =
      form.get('client_id') === this.clientId && form.get('client_secret') === this.clientSecret;
    if (!isClient) return writeJson(res, 401, { error: 'invalid_client' });
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isTheirs =
      granted?.asked.challenge === challenge &&
      granted.asked.clientId === this.clientId &&
      granted.asked.redirectUri === form.get('redirect_uri');
    if (!isTheirs) return writeJson(res, 400, { error: 'invalid_grant' });
    const { idToken } = granted;
    writeJson(res, 200, {
      access_token: 'opaque',
      token_type: 'Bearer',
      ...(idToken !== null && { id_token: idToken }),
    });
  }
}

export interface HandmadeProvider {
  /** Origin on the loopback. */
  origin: string;
  /** A new issuer; `issuer` when it is to be reached by another name than its own. */
  createRealm(issuer?: string): Realm;
  stop(): Promise<void>;
}

/** Every realm is found by the path of its issuer. */
export async function startHandmadeProvider(): Promise<HandmadeProvider> {
  const realms = new Map<string, Realm>();
  const key = createKeyPair();
  const server: Server = createServer((req, res) => {
    const path = (req.url ?? '').split('?')[0]?.replace('/.well-known', '') ?? '';
    const [at, realm] = [...realms].find(([prefix]) => path.startsWith(`${prefix}/`)) ?? [''];
    if (realm) void realm.answer(path.slice(at.length + 1), req, res);
    else writeJson(res, 404, {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    createRealm(issuer = `${origin}/${generateHex(6)}`) {
      const realm = new Realm(issuer, key);
      realms.set(new URL(issuer).pathname, realm);
      return realm;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readText(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
