// `test` with one caller of every kind, which calls an operation and reports the outcome.
import { registry } from '../../../src/errors.ts';
import jwt from 'jsonwebtoken';
import { createMember } from '../../setup/harness.ts';
import { createWorkspaceKey, type Owner } from '../../setup/personas.ts';
import { SECRETS, type Answer } from '../../setup/start-app.ts';
import { findFault } from '../answers.ts';
import { PERSONAS, type Access, type Persona, type Verdict } from '../examples/access.ts';
import { access, examples } from '../examples/all.ts';
import type { Sample } from '../examples/example.ts';
import { test as base } from '../fixtures.ts';
import { sendSample, type Credentials } from '../requests.ts';
import { createTenant, signInAgain, type ContractHarness, type Tenant } from '../tenant.ts';

/** A call of one of these ends the session it is made with, so each gets one of its own. */
const ENDING = new Set([
  'POST /api/v1/auth/logout',
  'POST /api/v1/auth/revoke-session',
  'POST /api/v1/auth/revoke-sessions',
  'POST /api/v1/auth/saml/logout/initiate',
  'POST /api/v1/auth/sso/logout/initiate',
]);

/** Deletes its organisation, so every allowed caller gets one of their own. */
const LAST = 'DELETE /api/v1/organization';

const ROLES = ['admin', 'reviewer', 'member', 'viewer', 'auditor'] as const;

/** Signs the same, still active session again with an expiry in the past. */
function expireToken(token: string): string {
  const claims = {
    ...(jwt.decode(token) as jwt.JwtPayload),
    exp: Math.floor(Date.now() / 1000) - 60,
  };
  return jwt.sign(claims, SECRETS.jwt, { algorithm: 'HS256' });
}

const SCIM_DETAILS: Readonly<Record<string, string>> = {
  'SCIM token is unknown or was replaced': 'TOKEN_REVOKED',
  'The groups are fixed': 'METHOD_NOT_ALLOWED',
};

/** Reads the error code: from the redirect in a browser; those of OTLP, AuthZEN and problems begin with it; SCIM errors have its meaning. */
function readCode({ body, headers, text }: Answer): string {
  const location = headers.get('location');
  if (location !== null) {
    const { searchParams } = new URL(location, 'http://localhost');
    return searchParams.get('error') ?? 'ok';
  }
  const type = headers.get('content-type') ?? '';
  if (type.startsWith('text/plain')) return text.split(':')[0] ?? '';
  if (type === 'application/problem+json') return String(body.detail).split(':')[0] ?? '';
  if (typeof body?.code === 'number') return String(body.message).split(':')[0] ?? '';
  if (body?.code !== undefined) return body.code as string;
  const detail = String(body?.detail);
  const meant = Object.entries(registry).find(([, { meaning }]) => meaning === detail);
  return SCIM_DETAILS[detail] ?? meant?.[0] ?? detail;
}

const toVerdict = (answer: Answer): Verdict =>
  answer.status < 300 ? 'ok' : (readCode(answer) as Verdict);

/**
 * Selects the callers to try: at most `ofEach` of each verdict, starting with another one for each operation, so that
 * every kind of caller tries many operations.
 */
export function selectRow(operation: string, ofEach: number): Partial<Access> {
  const row = Object.entries(access[operation] ?? {}) as [Persona, Verdict][];
  const first = operation.length % PERSONAS.length;
  const turned = [...row.slice(first), ...row.slice(0, first)];
  const computeOffset = ([persona, verdict]: [Persona, Verdict]): number =>
    turned.filter(([, other]) => other === verdict).findIndex(([other]) => other === persona);
  return Object.fromEntries(
    turned.filter((entry) => computeOffset(entry) < ofEach),
  ) as Partial<Access>;
}

interface Tenants {
  home: Tenant;
  elsewhere: Tenant;
  small: Tenant;
}

class Callers {
  readonly #harness: ContractHarness;
  readonly #tenants: Tenants;
  readonly #credentials = new Map<Persona, Credentials>([['anonymous', {}]]);
  readonly #emails = new Map<Persona, string>();
  /** Samples of the called operation, by organisation. */
  readonly #unspent = new Map<Tenant, Sample>();

  constructor(harness: ContractHarness, tenants: Tenants) {
    this.#harness = harness;
    this.#tenants = tenants;
    const { home, elsewhere, small } = tenants;
    this.addPerson('owner', home.owner);
    this.addPerson('foreigner', elsewhere.owner);
    this.addPerson('sandbox', small.owner);
    this.add('workspaceKey', { key: home.key });
    this.add('agentKey', { key: home.agentKey });
    this.add('sandboxDirectory', { token: small.scimToken });
  }

  add(persona: Persona, credentials: Credentials): void {
    this.#credentials.set(persona, credentials);
  }

  addPerson(persona: Persona, { token, email }: Owner): void {
    this.add(persona, { token });
    this.#emails.set(persona, email);
  }

  /** Returns the verdict for every caller in the row, and the faults of the answers. */
  async verdicts(operation: string, row: Partial<Access>) {
    const verdicts: Partial<Record<Persona, Verdict>> = {};
    const faults: string[] = [];
    this.#unspent.clear();
    for (const persona of PERSONAS.filter((name) => name in row)) {
      const answer = await this.#call(persona, operation);
      const verdict = toVerdict(answer);
      verdicts[persona] = verdict;
      if (verdict === 'ok' && !operation.startsWith('GET ')) this.#unspent.clear();
      const fault = findFault(operation, answer);
      if (fault !== null) faults.push(`${persona}: ${fault}`);
    }
    return { verdicts, faults };
  }

  async #call(persona: Persona, operation: string): Promise<Answer> {
    const { tenant, credentials } = await this.#stage(persona, operation);
    const foreign = persona === 'foreigner' || persona.toLowerCase().endsWith('directory');
    const subject = foreign ? tenant.owner.token : (credentials.token ?? tenant.owner.token);
    const sample = await this.#sampleOf(operation, tenant, subject);
    const answer = await sendSample(tenant, operation, { sample, ...credentials });
    if (operation.endsWith('revoke-sessions')) await this.#renew(persona);
    return answer;
  }

  /** A refusal spends nothing: the sample serves the next caller too, unless it was made for this one. */
  async #sampleOf(operation: string, tenant: Tenant, subject: string): Promise<Sample> {
    const example = examples[operation];
    if (!example) return {};
    const known = this.#unspent.get(tenant);
    if (known) return known;
    const sample = await example(tenant, subject);
    if (example.length < 2) this.#unspent.set(tenant, sample);
    return sample;
  }

  /** Returns the organisation and the credentials of a caller. */
  async #stage(persona: Persona, operation: string) {
    const { home, small } = this.#tenants;
    if (operation === LAST && (persona === 'owner' || persona === 'sandbox')) {
      const plan = persona === 'sandbox' ? 'sandbox' : undefined;
      const tenant = await createTenant(this.#harness, 'last', plan);
      return { tenant, credentials: { token: tenant.owner.token } };
    }
    return {
      tenant: persona === 'sandbox' ? small : home,
      credentials: await this.#credentialsOf(persona, operation),
    };
  }

  /** Returns the credentials; an operation that ends a session gets a fresh one. */
  async #credentialsOf(persona: Persona, operation: string): Promise<Credentials> {
    if (persona === 'directory') return { token: this.#tenants.home.scimToken };
    const email = this.#emails.get(persona);
    if (email === undefined || !ENDING.has(operation)) return this.#credentials.get(persona) ?? {};
    return { token: await signInAgain(this.#harness, email) };
  }

  /** All sessions are gone: the person signs in again, also for the examples of the tenant. */
  async #renew(persona: Persona): Promise<void> {
    const email = this.#emails.get(persona);
    if (email === undefined) return;
    const token = await signInAgain(this.#harness, email);
    this.add(persona, { token });
    const { home, elsewhere, small } = this.#tenants;
    const tenant = { owner: home, foreigner: elsewhere, sandbox: small }[persona as string];
    if (tenant) tenant.owner.token = token;
  }
}

export const test = base.extend('callers', { scope: 'file' }, async ({ harness }) => {
  const home = await createTenant(harness, 'home');
  const elsewhere = await createTenant(harness, 'elsewhere');
  const small = await createTenant(harness, 'small', 'sandbox');
  const callers = new Callers(harness, { home, elsewhere, small });
  for (const role of ROLES) callers.addPerson(role, await createMember(harness, home.owner, role));
  const { token } = await createMember(harness, home.owner, 'owner');
  callers.add('expired', { token: expireToken(token) });
  const scope = { readOnly: true };
  const readOnly = await createWorkspaceKey(harness.app, home.owner, { scope });
  callers.add('readOnlyKey', { key: readOnly.key });
  const agentIds = [home.agentId];
  const scoped = await createWorkspaceKey(harness.app, home.owner, { scope: { agentIds } });
  callers.add('scopedKey', { key: scoped.key });
  return callers;
});
