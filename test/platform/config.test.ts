// The configuration: defaults, one error with every invalid key, and dependencies between keys.
import { describe, expect, test } from 'vitest';
import { createSelfSigned } from '../setup/providers/self-signed.ts';
import { filterChildEnvironment, ConfigError, loadConfig } from '../../src/config/config.ts';
import { environment } from '../../src/config/environment.ts';

const secrets = {
  ASSAY_JWT_SECRET: 'j'.repeat(32),
  ASSAY_LEDGER_KEY: 'l'.repeat(32),
  ASSAY_ENCRYPTION_KEY: 'e'.repeat(32),
};
/** Values that production requires explicitly. */
const choices = { REGISTRATION: 'invite', SMTP_URL: 'smtp://mail.example.com' };
const MONGODB_URI = 'mongodb://db.example.com/assay?replicaSet=a';

function problems(source: Record<string, string>): string[] {
  try {
    loadConfig(source);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message
      .split('\n')
      .slice(1)
      .map((line) => line.trim());
  }
}

test('an empty environment is enough', () => {
  expect(loadConfig({})).toMatchObject({
    PORT: 3000,
    ASSAY_HOST: '127.0.0.1',
    REGISTRATION: 'open',
    DEFAULT_PLAN: 'enterprise',
    ASSAY_LIMIT_IP: 1000,
    ASSAY_LIMIT_USER: 600,
    ASSAY_LIMIT_AUTH: 100,
    ASSAY_TRUST_PROXY: [],
    ASSAY_CORS_ORIGINS: [],
    production: false,
  });
});

test('an empty value counts as unset', () => {
  expect(loadConfig({ PORT: '', MONGODB_URI: '' })).toMatchObject({ PORT: 3000 });
});

test('one error names every invalid key, and repeats no value', () => {
  const found = problems({
    PORT: '99999',
    MONGODB_URI: 'postgres://canary-secret@db',
    ASSAY_JWT_SECRET: 'canary-short',
    ASSAY_LIMIT_IP: '-1',
    REGISTRATION: 'maybe',
    DEFAULT_PLAN: 'gold',
    LOG_LEVEL: 'loud',
    ASSAY_PUBLIC_URL: 'ftp://x',
    ASSAY_TRUST_PROXY: 'everyone',
  });
  expect(found.map((line) => line.split(':')[0]).sort()).toEqual([
    'ASSAY_ENCRYPTION_KEY',
    'ASSAY_JWT_SECRET',
    'ASSAY_LEDGER_KEY',
    'ASSAY_LIMIT_IP',
    'ASSAY_PUBLIC_URL',
    'ASSAY_TRUST_PROXY',
    'DEFAULT_PLAN',
    'LOG_LEVEL',
    'MONGODB_URI',
    'PORT',
    'REGISTRATION',
  ]);
  expect(found.join()).not.toContain('canary');
});

test.each([
  ['a database of one’s own', { MONGODB_URI }],
  ['production', { NODE_ENV: 'production', ASSAY_EMBEDDED_DATABASE: 'allow', ...choices }],
])('%s asks for secrets', (_, source) => {
  expect(problems(source).map((line) => line.split(':')[0])).toEqual([
    'ASSAY_JWT_SECRET',
    'ASSAY_LEDGER_KEY',
    'ASSAY_ENCRYPTION_KEY',
  ]);
  expect(problems({ ...source, ...secrets })).toEqual([]);
});

test('production requires a configured database', () => {
  const production = { NODE_ENV: 'production', ...secrets, ...choices };
  expect(problems(production)).toEqual([expect.stringMatching(/^MONGODB_URI: required/)]);
  expect(problems({ ...production, MONGODB_URI })).toEqual([]);
  expect(problems({ ...production, ASSAY_EMBEDDED_DATABASE: 'allow' })).toEqual([]);
});

test('production requires a registration mode and a mail server', () => {
  const production = { NODE_ENV: 'production', MONGODB_URI, ...secrets };
  expect(problems(production).map((line) => line.split(':')[0])).toEqual([
    'REGISTRATION',
    'SMTP_URL',
  ]);
  for (const REGISTRATION of ['open', 'invite'])
    expect(problems({ ...production, ...choices, REGISTRATION })).toEqual([]);
  const files = { ...production, REGISTRATION: 'open' };
  expect(problems({ ...files, ASSAY_MAIL_TO_FILES: 'allow' })).toEqual([]);
});

test('production requires verified mailboxes by default', () => {
  const production = { NODE_ENV: 'production', MONGODB_URI, ...secrets, ...choices };
  const asks = (more: object): boolean =>
    loadConfig({ ...production, ...more }).requireVerifiedEmail;
  expect([asks({}), asks({ ASSAY_REQUIRE_VERIFIED_EMAIL: 'false' })]).toEqual([true, false]);
  expect(loadConfig({}).requireVerifiedEmail).toBe(false);
});

test('no two secrets are the same', () => {
  const same = { ...secrets, ASSAY_LEDGER_KEY: secrets.ASSAY_JWT_SECRET };
  expect(problems(same)).toEqual([expect.stringMatching(/^ASSAY_LEDGER_KEY: must differ/)]);
  const all = Object.fromEntries(Object.keys(secrets).map((key) => [key, 'x'.repeat(32)]));
  expect(problems(all)).toHaveLength(2);
  expect(problems(secrets)).toEqual([]);
});

test.each([
  ['1', 1],
  ['64', 64],
  ['auto', 'auto'],
  ['0', null],
  ['65', null],
  ['1.5', null],
  ['all', null],
])('ASSAY_WORKERS %j is %j', (ASSAY_WORKERS, taken) => {
  const isTaken = taken !== null;
  expect(problems({ ASSAY_WORKERS }).length === 0).toBe(isTaken);
  if (isTaken) expect(loadConfig({ ASSAY_WORKERS }).ASSAY_WORKERS).toBe(taken);
});

test.each([
  ['loopback', true],
  ['loopback, 10.0.0.0/8, 2001:db8::/32', true],
  ['192.0.2.7', true],
  ['10.0.0.0/33', false],
  ['10.0.0.0/8/8', false],
  ['10.0.0.0/', false],
  ['10.0.0', false],
  ['true', false],
  ['*', false],
])('the trusted proxies %j are taken: %s', (ASSAY_TRUST_PROXY, taken) => {
  expect(problems({ ASSAY_TRUST_PROXY }).length === 0).toBe(taken);
});

test.each([
  ['idp.example.com', true],
  ['idp.example.com:8443, LOCALHOST, my_service:80', true],
  ['10.0.0.0/8, 10.0.0.1, ::1, fd00::/8', true],
  ['10.0.0.1:8080, [::1]:8080', true],
  ['https://idp.example.com', false],
  ['idp.example.com/path', false],
  ['idp.example.com:port', false],
  ['*.example.com', false],
  ['10.0.0.0/33', false],
  ['10.0.0.0/8:80', false],
  ['10.1', false],
  ['[::1]', false],
  ['user@idp.example.com', false],
])('the private destinations %j are taken: %s', (ASSAY_OUTBOUND_ALLOW, taken) => {
  expect(problems({ ASSAY_OUTBOUND_ALLOW }).length === 0).toBe(taken);
});

test.each([
  ['https', 'pay.example.com', true],
  ['http', '127.0.0.1:12111', true],
  ['http', '[::1]:12111/', true],
  ['http', 'payments', true],
  ['https', 'pay.example.com/v1', false],
  ['https', 'key@pay.example.com', false],
  ['https', 'pay.example.com?a=b', false],
  ['https', 'pay.example.com#a', false],
  ['ftp', 'pay.example.com', false],
])('a payment processor by %s at %j is taken: %s', (scheme, rest, taken) => {
  const found = problems({ STRIPE_API_URL: `${scheme}://${rest}` });
  expect(found).toEqual(taken ? [] : [expect.stringContaining('STRIPE_API_URL')]);
});

test.each([
  ['https', 'models.example.com/v1', true],
  ['http', '127.0.0.1:8080/v1/', true],
  ['https', 'key:secret@models.example.com/v1', false],
  ['https', 'models.example.com/v1?key=a', false],
  ['https', 'models.example.com/v1#a', false],
])('an embedding model by %s at %j is taken: %s', (scheme, rest, taken) => {
  const found = problems({ ASSAY_EMBEDDING_URL: `${scheme}://${rest}` });
  expect(found).toEqual(taken ? [] : [expect.stringContaining('ASSAY_EMBEDDING_URL')]);
});

const SHARED = Buffer.alloc(32, 7).toString('base64url');
test.each([
  [`rome:${SHARED}`, true],
  [`rome:${SHARED},oslo:${SHARED}`, true],
  [`rome:${SHARED},rome:${SHARED}`, false],
  [`rome:${SHARED.slice(1)}`, false],
  [`:${SHARED}`, false],
  [SHARED, false],
])('the shared keys %j are taken: %s', (keys, taken) => {
  expect(problems({ ASSAY_WITNESS_KEYS: keys }).length === 0).toBe(taken);
  expect(problems({ ASSAY_PARTNER_KEYS: keys }).length === 0).toBe(taken);
});

test.each([
  ['127.0.0.1', true],
  ['127.0.0.1:5353, ::1', true],
  ['dns.example.com', false],
  ['127.0.0.1:port', false],
  ['10.0.0.0/8', false],
])('the name servers %j are taken: %s', (ASSAY_DNS_SERVERS, taken) => {
  expect(problems({ ASSAY_DNS_SERVERS }).length === 0).toBe(taken);
});

describe('the SAML key', () => {
  const [pair, other] = [createSelfSigned('one'), createSelfSigned('two')];
  const [key, certificate] = [pair.key, pair.certificate];

  test('is accepted with its certificate, also each in one line', () => {
    const lines = {
      ASSAY_SAML_KEY: key.replaceAll('\n', '\\n'),
      ASSAY_SAML_CERTIFICATE: certificate,
    };
    expect(loadConfig(lines)).toMatchObject({
      ASSAY_SAML_KEY: key,
      ASSAY_SAML_CERTIFICATE: certificate,
    });
  });

  test.each([
    ['alone', { ASSAY_SAML_KEY: key }],
    ['when only its certificate is given', { ASSAY_SAML_CERTIFICATE: certificate }],
    [
      'with the certificate of another key',
      { ASSAY_SAML_KEY: key, ASSAY_SAML_CERTIFICATE: other.certificate },
    ],
    ['when it is none', { ASSAY_SAML_KEY: 'canary', ASSAY_SAML_CERTIFICATE: certificate }],
    ['with a certificate that is none', { ASSAY_SAML_KEY: key, ASSAY_SAML_CERTIFICATE: key }],
  ])('is not taken %s', (_, source) => {
    expect(problems(source)).toEqual([expect.stringMatching(/^ASSAY_SAML_(KEY|CERTIFICATE)/)]);
    expect(problems(source).join()).not.toContain('canary');
  });
});

describe('the plan of a new organisation', () => {
  test.each([
    [{}, 'enterprise'],
    [{ STRIPE_SECRET_KEY: 'sk' }, 'sandbox'],
    [{ STRIPE_SECRET_KEY: 'sk', DEFAULT_PLAN: 'scale' }, 'scale'],
    [{ DEFAULT_PLAN: 'sandbox' }, 'sandbox'],
  ])('with %j is %s', (source: Record<string, string>, plan) => {
    expect(loadConfig(source).DEFAULT_PLAN).toBe(plan);
  });
});

test('lists are trimmed, and addresses of system owners are case-insensitive', () => {
  const config = loadConfig({
    ASSAY_CORS_ORIGINS: ' https://a.example , ,https://b.example',
    SYSTEM_OWNERS: 'Root@X.org',
  });
  expect(config.ASSAY_CORS_ORIGINS).toEqual(['https://a.example', 'https://b.example']);
  expect(config.SYSTEM_OWNERS).toEqual(['root@x.org']);
});

test('every variable has a description', () => {
  const silent = Object.entries(environment.shape).filter(([, schema]) => !schema.description);
  expect(silent.map(([name]) => name)).toEqual([]);
});

test('a child process gets none of our secrets', () => {
  const child = filterChildEnvironment({
    PATH: '/bin',
    ...secrets,
    MONGODB_URI,
    STRIPE_SECRET_KEY: 'sk',
    SMTP_URL: 'smtp://x',
  });
  expect(child).toEqual({ PATH: '/bin' });
});

test('the client id and secret of a social login are required together', () => {
  expect(problems({ ASSAY_OAUTH_A_CLIENT_ID: 'a', ASSAY_OAUTH_C_CLIENT_SECRET: 's' })).toEqual([
    expect.stringContaining('ASSAY_OAUTH_A_CLIENT_ID'),
    expect.stringContaining('ASSAY_OAUTH_C_CLIENT_ID'),
  ]);
  expect(problems({ ASSAY_OAUTH_B_CLIENT_ID: 'b', ASSAY_OAUTH_B_CLIENT_SECRET: 's' })).toEqual([]);
});

test('a custodian at an address requires that and one token; keys of epochs never pass in clear', () => {
  for (const [kind, prefix] of [
    ['vault', 'ASSAY_ERASURE_VAULT'],
    ['peer', 'ASSAY_ERASURE_PEER'],
  ] as const) {
    const named = { ASSAY_ERASURE_CUSTODIAN: kind };
    const tokens = `${prefix}_TOKEN, ${prefix}_TOKEN_FILE: one of them is required by ASSAY_ERASURE_CUSTODIAN=${kind}`;
    expect(problems(named)).toEqual([
      `${prefix}_URL: required by ASSAY_ERASURE_CUSTODIAN=${kind}`,
      tokens,
    ]);
    const url = { ...named, [`${prefix}_URL`]: 'https://keys.example.org' };
    const token = { [`${prefix}_TOKEN`]: 't' };
    expect(problems({ ...url, ...token, [`${prefix}_TOKEN_FILE`]: 'f' })).toEqual([tokens]);
    expect(problems({ ...url, ...token })).toEqual([]);
  }
  const peer = (url: string) =>
    problems({
      ASSAY_ERASURE_CUSTODIAN: 'peer',
      ASSAY_ERASURE_PEER_URL: url,
      ASSAY_ERASURE_PEER_TOKEN: 't',
    });
  for (const url of ['http://localhost:3300', 'http://127.0.0.1:1'])
    expect(peer(url), url).toEqual([]);
  for (const url of ['http://keys.example.org', 'http://localhost.example.org'])
    expect(peer(url), url).toEqual([
      expect.stringMatching(/^ASSAY_ERASURE_PEER_URL: must be https/),
    ]);
});
