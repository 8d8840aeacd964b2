// The authorisation matrix: every operation is called by every kind of caller, and let in or refused as written down.
import jwt from 'jsonwebtoken';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWorkspaceKey } from '../setup/personas.ts';
import type { Answer } from '../setup/start-app.ts';
import { faultOf } from './answers.ts';
import { authorisation, PERSONAS, type Persona, type Verdict } from './authorisation.ts';
import { examples } from './examples.ts';
import { mounted } from './mounted.ts';
import {
  makeSite,
  member,
  openGround,
  SECRETS,
  send,
  signInAgain,
  type Credentials,
  type Ground,
  type Site,
} from './site.ts';

/** A call of one of these ends the session it is made with, so each gets one of its own. */
const ENDING = new Set([
  'POST /api/v1/auth/logout',
  'POST /api/v1/auth/revoke-session',
  'POST /api/v1/auth/revoke-sessions',
  'POST /api/v1/auth/saml/logout/initiate',
]);

/** Ends the organisation it is called in, so whoever may call it gets one of their own. */
const LAST = 'DELETE /api/v1/organization';

let ground: Ground;
let home: Site;
let elsewhere: Site;
let small: Site;
const callers = new Map<Persona, Credentials>();
const emails = new Map<string, string>();

/** The same session, which nobody has ended, signed again with an end in the past. */
function expired(token: string): string {
  return jwt.sign(
    { ...(jwt.decode(token) as jwt.JwtPayload), exp: Math.floor(Date.now() / 1000) - 60 },
    SECRETS.jwt,
    {
      algorithm: 'HS256',
    },
  );
}

beforeAll(async () => {
  ground = await openGround();
  [home, elsewhere, small] = [
    await makeSite(ground, 'home'),
    await makeSite(ground, 'elsewhere'),
    await makeSite(ground, 'small', 'sandbox'),
  ];
  const people = { owner: home.owner, foreigner: elsewhere.owner, sandbox: small.owner };
  for (const [persona, { token, email }] of Object.entries(people)) {
    callers.set(persona as Persona, { token });
    emails.set(persona, email);
  }
  for (const role of ['admin', 'reviewer', 'member', 'viewer', 'auditor'] as const) {
    const { token, email } = await member(home, role);
    callers.set(role, { token });
    emails.set(role, email);
  }
  const { app } = ground;
  const readOnly = await createWorkspaceKey(app, home.owner, { scope: { readOnly: true } });
  const scoped = await createWorkspaceKey(app, home.owner, { scope: { agentIds: [home.agentId] } });
  callers.set('nobody', {});
  callers.set('expired', { token: expired((await member(home, 'owner')).token) });
  callers.set('workspaceKey', { key: home.key });
  callers.set('readOnlyKey', { key: readOnly.key });
  callers.set('scopedKey', { key: scoped.key });
  callers.set('agentKey', { key: home.agentKey });
  callers.set('sandboxDirectory', { token: small.scimToken });
});
afterAll(() => ground.close());

/** Credentials for one call; what ends a session is given a fresh one. */
async function credentialsOf(persona: Persona, operation: string): Promise<Credentials> {
  if (persona === 'directory') return { token: home.scimToken };
  const email = emails.get(persona);
  if (email === undefined || !ENDING.has(operation)) return callers.get(persona) ?? {};
  return { token: await signInAgain(ground, email) };
}

/** Where somebody calls, and as whom. */
async function placeOf(
  persona: Persona,
  operation: string,
): Promise<{ site: Site; credentials: Credentials }> {
  if (operation === LAST && (persona === 'owner' || persona === 'sandbox')) {
    const site = await makeSite(ground, 'last', persona === 'sandbox' ? 'sandbox' : undefined);
    return { site, credentials: { token: site.owner.token } };
  }
  return {
    site: persona === 'sandbox' ? small : home,
    credentials: await credentialsOf(persona, operation),
  };
}

async function verdictOf(
  persona: Persona,
  operation: string,
): Promise<{ verdict: Verdict; fault: string | null }> {
  const { site, credentials } = await placeOf(persona, operation);
  const foreign = persona === 'foreigner' || persona.toLowerCase().endsWith('directory');
  const subject = foreign ? site.owner.token : (credentials.token ?? site.owner.token);
  const sample = (await examples[operation]?.(site, subject)) ?? {};
  const answer = await send(site, operation, { sample, ...credentials });
  if (operation.endsWith('revoke-sessions')) await renew(persona);
  return {
    verdict: answer.status < 300 ? 'ok' : (codeIn(answer) as Verdict),
    fault: faultOf(operation, answer),
  };
}

/** A refusal in a browser is told in the address it is sent to. */
function codeIn({ body, headers }: Answer): string {
  const location = headers.get('location');
  return location === null
    ? (body?.code as string)
    : (new URL(location).searchParams.get('error') ?? 'ok');
}

/** All sessions are gone: the person signs in again, also for the examples of the site. */
async function renew(persona: Persona): Promise<void> {
  const email = emails.get(persona);
  if (email === undefined) return;
  const token = await signInAgain(ground, email);
  callers.set(persona, { token });
  const site = { owner: home, foreigner: elsewhere, sandbox: small }[persona as string];
  if (site) site.owner.token = token;
}

test('every mounted operation has a row in the table and an example', () => {
  expect([...mounted.keys()].filter((operation) => !(operation in authorisation))).toEqual([]);
  expect([...mounted.keys()].filter((operation) => !(operation in examples))).toEqual([]);
});

test.for([...mounted.keys()])('%s', async (operation) => {
  const found: Partial<Record<Persona, Verdict>> = {};
  const faults: string[] = [];
  for (const persona of PERSONAS) {
    const { verdict, fault } = await verdictOf(persona, operation);
    found[persona] = verdict;
    if (fault !== null) faults.push(`${persona}: ${fault}`);
  }
  expect(found).toEqual(authorisation[operation]);
  expect(faults).toEqual([]);
});
