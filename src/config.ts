// What the environment may say: the only reader of process.env, one schema, one readable error listing every bad key.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { z } from 'zod';

const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);
/** What proxy-addr takes: a named range, or an address with or without its prefix length. */
const proxies = list.refine(
  (items) =>
    items.every((item) => /^(loopback|linklocal|uniquelocal)$/.test(item) || isSubnet(item)),
  'give addresses, subnets such as 10.0.0.0/8, or loopback, linklocal, uniquelocal',
);
const count = z.coerce.number().int().positive();
const secret = z.string().min(32, 'give at least 32 characters');
const address = z.url({ protocol: /^https?$/ });
/** PEM, also in one line with `\\n` for its line breaks. */
const pem = z.string().transform((text) => text.replaceAll('\\n', '\n'));
const plan = z.enum(['sandbox', 'scale', 'governance', 'enterprise', 'custom']);

/** Every variable with its default and description; `.env.example` is generated from here. */
export const environment = z.object({
  PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65535)
    .default(3000)
    .describe('Port of the HTTP interface; 0 takes any free one'),
  ASSAY_HOST: z
    .string()
    .default('127.0.0.1')
    .describe('Address to listen on; 0.0.0.0 for every interface'),
  ASSAY_PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Address under which callers reach this service; links in mail and documents use it'),
  MONGODB_URI: z
    .string()
    .regex(/^mongodb(\+srv)?:\/\//, 'must begin with mongodb:// or mongodb+srv://')
    .optional()
    .describe('Replica set or sharded cluster; unset: an embedded mongod is started'),
  ASSAY_DB_POOL: count.default(24).describe('Database connections of this instance'),
  MONGOD_BINARY: z.string().optional().describe('Path of a mongod for the embedded database'),
  ASSAY_DATA_DIR: z
    .string()
    .default('data')
    .describe('Folder of the embedded database, its secrets and undelivered mail'),
  ASSAY_JWT_SECRET: secret
    .optional()
    .describe('Signs session tokens; made on an embedded start when unset'),
  ASSAY_JWT_SECRET_OLD: secret
    .optional()
    .describe('A former session secret that is still accepted'),
  ASSAY_LEDGER_KEY: secret
    .optional()
    .describe('Keys the idempotency digests; made on an embedded start when unset'),
  ASSAY_ENCRYPTION_KEY: secret
    .optional()
    .describe('Encrypts secrets of users in the database; made on an embedded start when unset'),
  ASSAY_ENCRYPTION_KEY_OLD: secret
    .optional()
    .describe('A former encryption key that still opens what it closed'),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/ })
    .optional()
    .describe(
      'Mail server, such as smtps://user:password@mail.example.com; unset: mail is written to <data dir>/mail',
    ),
  ASSAY_MAIL_FROM: z.email().default('assay@localhost.localdomain').describe('Sender of mail'),
  ASSAY_TRUST_PROXY: proxies
    .default([])
    .describe('Addresses or subnets of proxies whose X-Forwarded-For is believed, comma-separated'),
  ASSAY_CORS_ORIGINS: list.default([]).describe('Origins a browser may call from, comma-separated'),
  ASSAY_RETURN_URLS: list
    .refine((urls) => urls.every((url) => URL.canParse(url)), 'give absolute addresses')
    .default([])
    .describe(
      'Addresses a browser may return to after a sign-on, comma-separated, the default first; unset: the public one',
    ),
  ASSAY_OUTBOUND_ALLOW: list
    .refine(
      (items) => items.every(isDestination),
      'give hosts, hosts with a port, addresses, or subnets',
    )
    .default([])
    .describe(
      'Private hosts, host:port pairs, addresses or subnets that may be called when a user names them, also over http; unset: public ones over https only',
    ),
  ASSAY_DNS_SERVERS: list
    .refine(
      (servers) =>
        servers.every((server) => isIP(server.replace(/(:\d+)$/, '')) === 4 || isIP(server) === 6),
      'give addresses, IPv4 ones perhaps with a port',
    )
    .default([])
    .describe(
      'Name servers asked for the proof of an e-mail domain, comma-separated; unset: those of the system',
    ),
  ASSAY_OAUTH_A_ISSUER: address
    .default('https://accounts.google.com')
    .describe('OpenID provider of the first social login'),
  ASSAY_OAUTH_A_CLIENT_ID: z
    .string()
    .optional()
    .describe('Client there; unset: there is no such login'),
  ASSAY_OAUTH_A_CLIENT_SECRET: z.string().optional().describe('Its secret'),
  ASSAY_OAUTH_B_AUTHORIZATION_URL: address
    .default('https://github.com/login/oauth/authorize')
    .describe('Where GitHub, or a server like it, asks people for the second social login'),
  ASSAY_OAUTH_B_TOKEN_URL: address
    .default('https://github.com/login/oauth/access_token')
    .describe('Where it exchanges codes'),
  ASSAY_OAUTH_B_API_URL: address
    .default('https://api.github.com')
    .describe('Below which it serves /user and /user/emails'),
  ASSAY_OAUTH_B_CLIENT_ID: z
    .string()
    .optional()
    .describe('Client there; unset: there is no such login'),
  ASSAY_OAUTH_B_CLIENT_SECRET: z.string().optional().describe('Its secret'),
  ASSAY_OAUTH_C_ISSUER: address
    .default('https://login.microsoftonline.com/common/v2.0')
    .describe('OpenID provider of the third social login, which asks for the account each time'),
  ASSAY_OAUTH_C_CLIENT_ID: z
    .string()
    .optional()
    .describe('Client there; unset: there is no such login'),
  ASSAY_OAUTH_C_CLIENT_SECRET: z.string().optional().describe('Its secret'),
  ASSAY_SAML_KEY: pem
    .refine(isRsaKey, 'give an RSA private key in PEM')
    .optional()
    .describe(
      'Signs SAML messages and decrypts assertions: an RSA private key in PEM; \\n stands for a line break',
    ),
  ASSAY_SAML_CERTIFICATE: pem
    .refine(isCertificate, 'give a certificate in PEM')
    .optional()
    .describe('The certificate of ASSAY_SAML_KEY in PEM, which the SAML metadata show'),
  REGISTRATION: z
    .enum(['open', 'invite'])
    .default('open')
    .describe('Whether strangers may register an organisation'),
  DEFAULT_PLAN: plan
    .optional()
    .describe(
      'Plan of a new organisation; unset: enterprise, or sandbox where STRIPE_SECRET_KEY is set',
    ),
  STRIPE_SECRET_KEY: z.string().optional().describe('Key of the payment processor'),
  SYSTEM_OWNERS: list
    .transform((addresses) => addresses.map((address) => address.toLowerCase()))
    .default([])
    .describe(
      'E-mail addresses that hold the system-level role owner once they are proved, comma-separated',
    ),
  ASSAY_LIMIT_IP: count.default(1000).describe('Requests per client address and 15 minutes'),
  ASSAY_LIMIT_USER: count.default(600).describe('Requests per user and 15 minutes'),
  ASSAY_LIMIT_AUTH: count
    .default(100)
    .describe('Requests to /auth per client address and 15 minutes'),
  ASSAY_LIMIT_ACCOUNT: count.default(20).describe('Sign-in attempts per account and 15 minutes'),
  ASSAY_LIMIT_ONBOARDING: count
    .default(120)
    .describe('Requests to the onboarding of agents per user and 15 minutes'),
  ASSAY_LIMIT_MAIL: count
    .default(5)
    .describe('Mails that strangers may have sent to one address in 15 minutes'),
  ASSAY_LIMIT_SANDBOX: count
    .default(10_000)
    .describe('Decisions a month that the plan sandbox allows'),
  ASSAY_LIMIT_SCIM: count
    .default(600)
    .describe('SCIM requests per token, and per client address, and 15 minutes'),
  ASSAY_QUEUE_LIMIT: count
    .default(10_000)
    .describe('Decisions of one organisation that may wait to be sealed'),
  ASSAY_METRICS_TOKEN: z
    .string()
    .min(16)
    .optional()
    .describe('Bearer token of /metrics; unset: /metrics answers the loopback only'),
  ASSAY_PASSWORD_CONCURRENCY: count
    .default(1)
    .describe('Password hashes computed at the same time'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('Least severe log level written'),
  NODE_ENV: z
    .string()
    .default('development')
    .describe('production switches secure cookies on and requires explicit secrets'),
});

type Environment = z.output<typeof environment>;
export type PlanName = z.output<typeof plan>;

/** The configuration as the program uses it: the environment, with the defaults that depend on other keys filled in. */
export interface Config extends Omit<Environment, 'DEFAULT_PLAN'> {
  DEFAULT_PLAN: PlanName;
  production: boolean;
}

/** Thrown when the environment does not fit the schema; the message lists every bad key. */
export class ConfigError extends Error {}

/**
 * Reads the configuration. An empty value counts as unset.
 * @throws ConfigError naming every key that does not fit
 */
export function loadConfig(
  source: Readonly<Record<string, string | undefined>> = process.env,
): Config {
  const given = Object.fromEntries(
    Object.entries(source).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = environment.safeParse(given);
  const misfits =
    parsed.error?.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`) ?? [];
  const pairs = parsed.data ? unpaired(parsed.data) : [];
  const problems = [...misfits, ...missing(given), ...halfGiven(given), ...pairs];
  if (!parsed.success || problems.length > 0)
    throw new ConfigError(`The configuration has errors:\n  ${problems.join('\n  ')}`);
  const env = parsed.data;
  return {
    ...env,
    DEFAULT_PLAN: env.DEFAULT_PLAN ?? (env.STRIPE_SECRET_KEY ? 'sandbox' : 'enterprise'),
    production: env.NODE_ENV === 'production',
  };
}

/** In production and with a database of one's own, secrets are given, not made: another instance must have the same. */
function missing(given: Readonly<Record<string, string | undefined>>): string[] {
  if (given.MONGODB_URI === undefined && given.NODE_ENV !== 'production') return [];
  return ['ASSAY_JWT_SECRET', 'ASSAY_LEDGER_KEY', 'ASSAY_ENCRYPTION_KEY']
    .filter((key) => given[key] === undefined)
    .map((key) => `${key}: required in production and when MONGODB_URI is set`);
}

/** A client of a social login needs its secret, and a secret its client. */
function halfGiven(given: Readonly<Record<string, string | undefined>>): string[] {
  return ['A', 'B', 'C']
    .map(
      (letter) =>
        [`ASSAY_OAUTH_${letter}_CLIENT_ID`, `ASSAY_OAUTH_${letter}_CLIENT_SECRET`] as const,
    )
    .filter(([id, secret]) => (given[id] === undefined) !== (given[secret] === undefined))
    .map(([id, secret]) => `${id}: is given together with ${secret} or not at all`);
}

/** A key without its certificate is of no use, nor the other way round. */
function unpaired({
  ASSAY_SAML_KEY: key,
  ASSAY_SAML_CERTIFICATE: certificate,
}: Environment): string[] {
  if (key === undefined && certificate === undefined) return [];
  if (key === undefined || certificate === undefined)
    return ['ASSAY_SAML_KEY, ASSAY_SAML_CERTIFICATE: give both'];
  const isPair = new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
  return isPair ? [] : ['ASSAY_SAML_CERTIFICATE: is not of ASSAY_SAML_KEY'];
}

function isRsaKey(text: string): boolean {
  try {
    return createPrivateKey(text).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}

function isCertificate(text: string): boolean {
  try {
    return new X509Certificate(text).publicKey.asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}

function isSubnet(text: string): boolean {
  const [address = '', length, ...more] = text.split('/');
  const family = isIP(address);
  const longest = family === 4 ? 32 : 128;
  return (
    family !== 0 &&
    more.length === 0 &&
    (length === undefined || (/^\d+$/.test(length) && Number(length) <= longest))
  );
}

/** A subnet or address, or a host name or bracketed address with or without a port. */
function isDestination(text: string): boolean {
  return (
    isSubnet(text) ||
    /^([a-z\d_.-]*[a-z_-][a-z\d_.-]*|\d+(\.\d+){3}(?=:)|\[[\da-f:]+\](?=:))(:\d{1,5})?$/i.test(text)
  );
}

/** The environment a child process of ours is given: what locates programs, files and registries, none of our secrets. */
export function childEnvironment(
  source: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string> {
  const secretive = /^(ASSAY_|STRIPE_|MONGODB_URI|SMTP_)/;
  return Object.fromEntries(
    Object.entries(source).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && !secretive.test(entry[0]),
    ),
  );
}
