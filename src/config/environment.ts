// The variables of the configuration, each with its default and description; `config.ts` reads them.
import { isIP } from 'node:net';
import { toEmailAddress } from '../domain/identity/addresses/email-address.ts';
import { z } from 'zod';
import { erasureVariables } from './environment-erasure.ts';
import { limitVariables } from './environment-limits.ts';
import { logVariables } from './environment-log.ts';
import {
  address,
  amounts,
  positive,
  isCertificate,
  isDestination,
  isRsaKey,
  list,
  mongodbUri,
  pem,
  plan,
  priceIds,
  proxies,
  secret,
  serviceAddress,
  serviceOrigin,
  sharedKeys,
} from './environment-values.ts';

/** Every variable with its default and description; `.env.example` is generated from here. */
export const environment = z.object({
  PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65535)
    .default(3000)
    .describe('Port of the HTTP server; 0 takes any free one'),
  ASSAY_HOST: z
    .string()
    .default('127.0.0.1')
    .describe('Address to listen on; 0.0.0.0 for every interface'),
  ASSAY_PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      'URL under which callers reach this service, for links and sign-on; https makes cookies secure, which SAML needs',
    ),
  MONGODB_URI: mongodbUri
    .optional()
    .describe('Replica set or sharded cluster; unset: an embedded mongod is started'),
  KEY_STORE_URI: mongodbUri
    .optional()
    .describe(
      'Replica set for the keys of all contents, with a schedule of backups of its own; unset: a database beside that of MONGODB_URI, its name with -keys',
    ),
  ASSAY_EMBEDDED_DATABASE: z
    .literal('allow')
    .optional()
    .describe('allow: in production, too, an embedded mongod is started when MONGODB_URI is unset'),
  ASSAY_DB_POOL: positive.default(24).describe('Database connections of this instance'),
  ASSAY_WORKERS: z
    .union([z.literal('auto'), positive.max(64)], 'must be auto, or a number from 1 to 64')
    .default(1)
    .describe(
      'Processes that serve the port together, sharing its limits; auto: as many as there are cores. Connections, memory and queues are each one’s own',
    ),
  MONGOD_BINARY: z.string().optional().describe('Path of a mongod for the embedded database'),
  ASSAY_DATA_DIR: z
    .string()
    .default('data')
    .describe('Folder of the embedded database, its secrets and undelivered mail'),
  ASSAY_JWT_SECRET: secret
    .optional()
    .describe('Signs session tokens; generated on an embedded start when unset'),
  ASSAY_JWT_SECRET_OLD: secret.optional().describe('The previous session secret, still accepted'),
  ASSAY_LEDGER_KEY: secret
    .optional()
    .describe('Keys the idempotency digests; generated on an embedded start when unset'),
  ASSAY_ENCRYPTION_KEY: secret
    .optional()
    .describe(
      'Encrypts secrets of users in the database; generated on an embedded start when unset',
    ),
  ASSAY_ENCRYPTION_KEY_OLD: secret
    .optional()
    .describe('The previous encryption key, for decryption only'),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/ })
    .optional()
    .describe(
      'Mail server, such as smtps://user:password@mail.example.com; unset: mail is written to <data dir>/mail, and kept there for a day',
    ),
  ASSAY_MAIL_TO_FILES: z
    .literal('allow')
    .optional()
    .describe(
      'allow: in production, too, mail is written to files when SMTP_URL is unset; they hold tokens that open accounts',
    ),
  ASSAY_MAIL_FROM: z.email().default('assay@localhost.localdomain').describe('Sender of mail'),
  ASSAY_TRUST_PROXY: proxies
    .default([])
    .describe(
      'Addresses or subnets of trusted proxies, whose X-Forwarded-For is used, comma-separated',
    ),
  ASSAY_CORS_ORIGINS: list.default([]).describe('Allowed CORS origins, comma-separated'),
  ASSAY_RETURN_URLS: list
    .refine((urls) => urls.every((url) => URL.canParse(url)), 'must be absolute URLs')
    .default([])
    .describe(
      'URLs a browser may be redirected to after a sign-on, comma-separated, the default first; unset: a page of this service that says how it ended',
    ),
  ASSAY_OUTBOUND_ALLOW: list
    .refine(
      (items) => items.every(isDestination),
      'must be hosts, hosts with a port, addresses, or subnets',
    )
    .default([])
    .describe(
      'Private hosts, host:port pairs, addresses or subnets that URLs of users may name, also over http; unset: public ones over https only',
    ),
  ASSAY_LIMIT_ALERT_MAILS: positive
    .default(500)
    .describe('Mails that the alert rules of one organisation send per day (UTC)'),
  ASSAY_WEBHOOK_TIMEOUT_MS: positive
    .max(30_000)
    .default(15_000)
    .describe('Milliseconds that the receiver of a webhook or alert may take for its answer'),
  ASSAY_DNS_SERVERS: list
    .refine(
      (servers) =>
        servers.every((server) => isIP(server.replace(/(:\d+)$/, '')) === 4 || isIP(server) === 6),
      'must be IP addresses; IPv4 addresses may have a port',
    )
    .default([])
    .describe(
      'Name servers for e-mail domains and hosts that users name, comma-separated; unset: those of the system',
    ),
  ASSAY_OAUTH_A_ISSUER: address
    .default('https://accounts.google.com')
    .describe('Issuer of the first social login (OpenID Connect)'),
  ASSAY_OAUTH_A_CLIENT_ID: z.string().optional().describe('Client id; unset: this login is off'),
  ASSAY_OAUTH_A_CLIENT_SECRET: z.string().optional().describe('Client secret'),
  ASSAY_OAUTH_B_AUTHORIZATION_URL: address
    .default('https://github.com/login/oauth/authorize')
    .describe('Authorization endpoint of the second social login (GitHub, or a compatible server)'),
  ASSAY_OAUTH_B_TOKEN_URL: address
    .default('https://github.com/login/oauth/access_token')
    .describe('Its token endpoint'),
  ASSAY_OAUTH_B_API_URL: address
    .default('https://api.github.com')
    .describe('Base URL of its API, which serves /user and /user/emails'),
  ASSAY_OAUTH_B_CLIENT_ID: z.string().optional().describe('Client id; unset: this login is off'),
  ASSAY_OAUTH_B_CLIENT_SECRET: z.string().optional().describe('Client secret'),
  ASSAY_OAUTH_C_ISSUER: address
    .default('https://login.microsoftonline.com/common/v2.0')
    .describe(
      'Issuer of the third social login (OpenID Connect), which asks for the account each time',
    ),
  ASSAY_OAUTH_C_CLIENT_ID: z.string().optional().describe('Client id; unset: this login is off'),
  ASSAY_OAUTH_C_CLIENT_SECRET: z.string().optional().describe('Client secret'),
  ASSAY_SAML_KEY: pem
    .refine(isRsaKey, 'must be an RSA private key in PEM')
    .optional()
    .describe(
      'Signs SAML messages and decrypts assertions: an RSA private key in PEM; \\n stands for a line break',
    ),
  ASSAY_SAML_CERTIFICATE: pem
    .refine(isCertificate, 'must be a certificate in PEM')
    .optional()
    .describe('The certificate of ASSAY_SAML_KEY in PEM, published in the SAML metadata'),
  ASSAY_SIGNER_PROVIDER: z
    .enum(['database', 'kms', 'env', 'file'])
    .default('database')
    .describe('Where the key is that signs provenance manifests'),
  ASSAY_SIGNER_KEY: pem
    .optional()
    .describe(
      'Provider env: a private key on P-256 in PEM; unset: one that lives as long as the process, not in production',
    ),
  ASSAY_SIGNER_CERTIFICATE: pem
    .optional()
    .describe('Its certificate and those above it in PEM, its own first'),
  ASSAY_SIGNER_KEY_FILE: z.string().optional().describe('Provider file: the same, in a file'),
  ASSAY_SIGNER_CERTIFICATE_FILE: z
    .string()
    .optional()
    .describe('Its certificate and those above it, in a file'),
  ASSAY_SIGNER_KEK: z
    .string()
    .optional()
    .describe(
      'Provider database: encrypts the keys there, 32 bytes in hex or base64; unset: ASSAY_ENCRYPTION_KEY does',
    ),
  ASSAY_SIGNER_KEK_OLD: z.string().optional().describe('The previous one, for decryption only'),
  ASSAY_SIGNER_HMAC_KEY: z
    .string()
    .optional()
    .describe('Verifies manifests that were signed with a MAC elsewhere; none are made here'),
  ASSAY_SIGNER_KMS_REGION: z
    .string()
    .optional()
    .describe('Provider kms: region of the key management service (AWS KMS)'),
  ASSAY_SIGNER_KMS_ENDPOINT: address
    .optional()
    .describe('Its address, where it is not that of the region'),
  REGISTRATION: z
    .enum(['open', 'invite'])
    .default('open')
    .describe('Whether anyone may register an organisation; required in production'),
  ASSAY_REQUIRE_VERIFIED_EMAIL: z
    .stringbool()
    .optional()
    .describe(
      'Whether accounts with an unverified mailbox may not invite, mint keys and tokens or set up sign-on, and are locked after a day; unset: in production',
    ),
  DEFAULT_PLAN: plan
    .optional()
    .describe(
      'Plan of a new organisation; unset: enterprise, or sandbox where STRIPE_SECRET_KEY is set',
    ),
  STRIPE_SECRET_KEY: z
    .string()
    .optional()
    .describe('Key of the payment processor; unset: nothing can be bought'),
  STRIPE_WEBHOOK_SECRET: z
    .string()
    .optional()
    .describe('Signs what the payment processor posts to /api/payment/webhook'),
  STRIPE_API_URL: serviceOrigin
    .optional()
    .describe(
      'Address of a payment processor other than Stripe itself, such as one for tests; may be private or http, without ASSAY_OUTBOUND_ALLOW',
    ),
  STRIPE_PRICES: priceIds
    .optional()
    .describe(
      'Price ids of the payment processor, such as scale_monthly=price_1,scale_overage=price_2: scale, governance and enterprise, each with _monthly, _annual and _overage (metered)',
    ),
  STRIPE_METER_EVENT: z
    .string()
    .regex(/^[\w.-]{1,100}$/)
    .default('assay_overage')
    .describe('Name of the meter event by which decisions beyond the plan are reported'),
  ASSAY_PLAN_PRICES: amounts
    .optional()
    .describe(
      'Amounts in EUR that the list of plans shows, such as scale_monthly=49,scale_annual=490',
    ),
  ASSAY_BILLING_RETURN_URL: address
    .optional()
    .describe('Where browsers return to from checkout and portal; unset: ASSAY_PUBLIC_URL'),
  SYSTEM_OWNERS: list
    .refine(
      (addresses) => addresses.every((text) => toEmailAddress(text)),
      'must be e-mail addresses',
    )
    .transform((addresses) => addresses.flatMap((text) => toEmailAddress(text) ?? []))
    .default([])
    .describe(
      'E-mail addresses that have the system role owner once they are verified, comma-separated',
    ),
  ...limitVariables,
  ASSAY_AUDIT_BUNDLE_MAX: positive.default(500_000).describe('Entries of one audit bundle'),
  ASSAY_DEMO_REQUESTS_TO: z.email().optional().describe('Who is asked for demonstrations'),
  ...erasureVariables,
  ASSAY_QUEUE_LIMIT: positive
    .default(10_000)
    .describe('Decisions of one organisation to be sealed'),
  ASSAY_WITNESS_KEYS: sharedKeys
    .optional()
    .describe(
      'Keys of the witnesses that report chain heads they have seen, such as name:key,name:key, each 32 bytes in base64url; unset: none may',
    ),
  ASSAY_PARTNER_KEYS: sharedKeys
    .optional()
    .describe(
      'Keys of the insurers that pull the feed of organisations that have opted in, as those of witnesses; unset: none may',
    ),
  ...logVariables,
  ASSAY_REPLAY_WINDOW_MINUTES: positive
    .max(720)
    .default(10)
    .describe('Minutes by which the time of a message of witnesses and partners may differ'),
  ASSAY_MAX_CONNECTIONS: positive
    .default(10_000)
    .describe('Open connections of an instance; further ones are closed at once'),
  ASSAY_MAX_CONNECTIONS_PER_ADDRESS: positive
    .optional()
    .describe(
      'Of these, from one client address (of IPv6, from one /56 network); unset: a quarter. Addresses of ASSAY_TRUST_PROXY are exempt',
    ),
  ASSAY_EMBEDDING_URL: serviceAddress
    .optional()
    .describe(
      'Base address of an embedding service with the interface of OpenAI, such as https://embeddings.example.com/v1, for the memory search; may be private or http, without ASSAY_OUTBOUND_ALLOW; unset: the built-in model. Texts of decisions, scrubbed, are sent there',
    ),
  ASSAY_EMBEDDING_KEY: z.string().optional().describe('Its API key'),
  ASSAY_EMBEDDING_MODEL: z.string().default('text-embedding-3-small').describe('Its model'),
  ASSAY_EMBEDDING_DIMENSIONS: positive
    .max(1024)
    .default(256)
    .describe('Length of its vectors; a search takes as much longer as they are longer'),
  ASSAY_MEMORY_INDEXING: z
    .enum(['auto', 'on', 'off'])
    .default('auto')
    .describe(
      'Where decisions are indexed for the memory search: `auto` in organisations that have searched once, `on` in all whose plan has it; `off` begins it nowhere',
    ),
  ASSAY_MEMORY_INDEX_MB: positive
    .default(256)
    .describe('Megabytes of vectors that an instance keeps in memory; others it reads each time'),
  ASSAY_LIMIT_STREAMS: positive
    .default(1000)
    .describe('Event streams of an organisation at a time, on this instance with all its workers'),
  ASSAY_LIMIT_STREAMS_USER: positive
    .default(10)
    .describe('Event streams of a user at a time, likewise'),
  ASSAY_LIMIT_HEAVY: positive
    .default(8)
    .describe(
      'Lists of decisions, bundles, exports and verifications under way at a time, per organisation; others wait for up to a second',
    ),
  ASSAY_LIMIT_PDF_ROWS: positive
    .max(10_000)
    .default(2000)
    .describe('Rows of a PDF; an export of more is refused'),
  ASSAY_FAST_HTTP: z
    .enum(['on', 'off'])
    .default('on')
    .describe(
      'off: every request takes the plain way through Node and Express, with the same answers, for diagnosis',
    ),
  ASSAY_CONSOLE: z
    .enum(['on', 'off'])
    .default('on')
    .describe('off: the console and its session cookie are not served'),
  ASSAY_METRICS_TOKEN: z
    .string()
    .min(16)
    .optional()
    .describe(
      'Bearer token of /metrics; unset: open to the loopback only, and closed in production',
    ),
  ASSAY_PASSWORD_CONCURRENCY: positive.default(1).describe('Password hashes at a time'),
  ASSAY_PASSWORD_QUEUE: positive
    .default(100)
    .describe(
      'Maximum number of password hashes that wait; networks take turns, and the longest line is answered 503',
    ),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('Minimum level of log records'),
  NODE_ENV: z.string().default('development').describe('production requires explicit secrets'),
});

export type Environment = z.output<typeof environment>;
export type PlanName = z.output<typeof plan>;
