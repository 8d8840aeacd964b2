// Loads the configuration: only this file reads process.env; one error lists every invalid variable.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { environment, type Environment, type PlanName } from './environment.ts';

const SECRETS = ['ASSAY_JWT_SECRET', 'ASSAY_LEDGER_KEY', 'ASSAY_ENCRYPTION_KEY'] as const;

type RawEnvironment = Readonly<Record<string, string | undefined>>;

/** The environment, with the defaults that depend on other variables. */
export interface Config extends Omit<Environment, 'DEFAULT_PLAN' | 'ASSAY_REQUIRE_VERIFIED_EMAIL'> {
  DEFAULT_PLAN: PlanName;
  requireVerifiedEmail: boolean;
  production: boolean;
}

/** The environment is invalid; the message lists every invalid variable. */
export class ConfigError extends Error {}

/**
 * Reads the configuration; an empty value counts as unset.
 * @throws ConfigError
 */
export function loadConfig(
  source: Readonly<Record<string, string | undefined>> = process.env,
): Config {
  const given = Object.fromEntries(
    Object.entries(source).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = environment.safeParse(given);
  const invalid =
    parsed.error?.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`) ?? [];
  const pairs = parsed.data ? checkSamlPair(parsed.data) : [];
  const problems = [
    ...invalid,
    ...checkDatabase(given),
    ...checkKeys(given),
    ...checkChoices(given),
    ...checkOauthClients(given),
    ...pairs,
  ];
  if (!parsed.success || problems.length > 0)
    throw new ConfigError(`Invalid configuration:\n  ${problems.join('\n  ')}`);
  const { ASSAY_REQUIRE_VERIFIED_EMAIL: requireVerifiedEmail, ...env } = parsed.data;
  const production = env.NODE_ENV === 'production';
  return {
    ...env,
    requireVerifiedEmail: requireVerifiedEmail ?? production,
    DEFAULT_PLAN: env.DEFAULT_PLAN ?? (env.STRIPE_SECRET_KEY ? 'sandbox' : 'enterprise'),
    production,
  };
}

/** An embedded database is for development: production must allow it explicitly. */
function checkDatabase({
  MONGODB_URI,
  NODE_ENV,
  ASSAY_EMBEDDED_DATABASE,
}: RawEnvironment): string[] {
  const isMissing = NODE_ENV === 'production' && MONGODB_URI === undefined;
  if (!isMissing || ASSAY_EMBEDDED_DATABASE === 'allow') return [];
  return ['MONGODB_URI: required in production, unless ASSAY_EMBEDDED_DATABASE is `allow`'];
}

/** Every instance must get the same secrets in production and with a configured database. */
function checkSecrets(given: Readonly<Record<string, string | undefined>>): string[] {
  if (given.MONGODB_URI === undefined && given.NODE_ENV !== 'production') return [];
  return SECRETS.filter((key) => given[key] === undefined).map(
    (key) => `${key}: required in production and when MONGODB_URI is set`,
  );
}

/** Secrets must differ, so that one that leaks does not reveal another. */
function checkSecretsDiffer(given: RawEnvironment): string[] {
  return SECRETS.filter((key, index) =>
    SECRETS.slice(0, index).some(
      (other) => given[key] !== undefined && given[key] === given[other],
    ),
  ).map((key) => `${key}: must differ from the other secrets`);
}

/** Production has no default for who may register, nor for where mail is sent. */
function checkChoices(given: RawEnvironment): string[] {
  const { NODE_ENV, REGISTRATION, SMTP_URL, ASSAY_MAIL_TO_FILES } = given;
  if (NODE_ENV !== 'production') return [];
  const hasMail = SMTP_URL !== undefined || ASSAY_MAIL_TO_FILES === 'allow';
  return [
    ...(REGISTRATION === undefined ? ['REGISTRATION: required in production'] : []),
    ...(hasMail ? [] : ['SMTP_URL: required in production, unless ASSAY_MAIL_TO_FILES is `allow`']),
  ];
}

const checkKeys = (given: RawEnvironment): string[] => [
  ...checkSecrets(given),
  ...checkSecretsDiffer(given),
  ...checkCustodian(given, 'vault'),
  ...checkCustodian(given, 'peer'),
  ...checkLogKey(given),
];

/** The key of the logs has one place, and a key management service its region. */
function checkLogKey(given: RawEnvironment): string[] {
  if (given.ASSAY_LOG_KEY_KMS_ID === undefined) return [];
  return [
    ...(given.ASSAY_LOG_KEY === undefined
      ? []
      : ['ASSAY_LOG_KEY, ASSAY_LOG_KEY_KMS_ID: only one of them can be set']),
    ...(given.ASSAY_LOG_KEY_KMS_REGION === undefined
      ? ['ASSAY_LOG_KEY_KMS_REGION: required by ASSAY_LOG_KEY_KMS_ID']
      : []),
  ];
}

/** A custodian behind an address needs that, and a token. */
function checkCustodian(given: RawEnvironment, kind: 'vault' | 'peer'): string[] {
  if (given.ASSAY_ERASURE_CUSTODIAN !== kind) return [];
  const prefix = kind === 'vault' ? 'ASSAY_ERASURE_VAULT' : 'ASSAY_ERASURE_PEER';
  const isNamed = (suffix: 'URL' | 'TOKEN' | 'TOKEN_FILE'): boolean =>
    given[`${prefix}_${suffix}`] !== undefined;
  const required = `required by ASSAY_ERASURE_CUSTODIAN=${kind}`;
  return [
    ...(isNamed('URL') ? [] : [`${prefix}_URL: ${required}`]),
    ...(isNamed('TOKEN') === isNamed('TOKEN_FILE')
      ? [`${prefix}_TOKEN, ${prefix}_TOKEN_FILE: one of them is ${required}`]
      : []),
  ];
}

/** The client id of a social login requires its secret, and the other way round. */
function checkOauthClients(given: Readonly<Record<string, string | undefined>>): string[] {
  return ['A', 'B', 'C']
    .map(
      (letter) =>
        [`ASSAY_OAUTH_${letter}_CLIENT_ID`, `ASSAY_OAUTH_${letter}_CLIENT_SECRET`] as const,
    )
    .filter(([id, secret]) => (given[id] === undefined) !== (given[secret] === undefined))
    .map(([id, secret]) => `${id}: must be set together with ${secret}`);
}

/** A SAML key requires its certificate, and the other way round. */
function checkSamlPair({
  ASSAY_SAML_KEY: key,
  ASSAY_SAML_CERTIFICATE: certificate,
}: Environment): string[] {
  if (key === undefined && certificate === undefined) return [];
  if (key === undefined || certificate === undefined)
    return ['ASSAY_SAML_KEY, ASSAY_SAML_CERTIFICATE: must be set together'];
  const isPair = new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
  return isPair ? [] : ['ASSAY_SAML_CERTIFICATE: does not match ASSAY_SAML_KEY'];
}

/** Returns the environment of child processes: this process's without its secrets. */
export function filterChildEnvironment(
  source: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string> {
  const isSecret = /^(ASSAY_|STRIPE_|MONGODB_URI|KEY_STORE_URI|SMTP_)/;
  return Object.fromEntries(
    Object.entries(source).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && !isSecret.test(entry[0]),
    ),
  );
}
