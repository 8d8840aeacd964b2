// The sweep: every input of every operation is replaced by what it should never be; nothing breaks and nothing is half-written.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { chainHash, chainTime } from '../../src/domain/record/chain.ts';
import { AUDIT, type Chain, DECISIONS } from '../../src/ledger/chains.ts';
import type { Answer } from '../setup/start-app.ts';
import { faultOf } from './answers.ts';
import { authorisation } from './authorisation.ts';
import { BAD_BODIES, BAD_TEXTS, BAD_VALUES, type BadValue } from './bad-values.ts';
import { examples, freeForm, type Sample } from './examples.ts';
import { mounted } from './mounted.ts';
import { placesOf, replaced, type Path } from './paths.ts';
import {
  asForm,
  credentialsFor,
  makeSite,
  openGround,
  send,
  signInAgain,
  type Credentials,
  type Ground,
  type Site,
} from './site.ts';

/** What follows from other records, at its own time. */
const DERIVED =
  /^(agent_activity|policy_statistics|policy_sets|cursors|parked|outbox|heads_.*|leases|jobs|migrations|audit_rows|system\..*)$/;
/** Refusals of somebody who is known are audited as well. */
const AUDIT_LOG = 'audit_entries';
/** Ends the organisation it is called in, so it is called in others. */
const LAST = 'DELETE /api/v1/organization';
const AT_ONCE = 8;
const MARK = '"@@here@@"';

let ground: Ground;
let home: Site;
let site: Site;
beforeAll(async () => {
  ground = await openGround();
  home = await makeSite(ground, 'sweep');
  await ground.database.collection('users').updateMany({}, { $set: { systemRole: 'owner' } });
});
beforeEach(() => {
  site = home;
});
afterAll(() => ground.close());

const credentialsOf = (operation: string): Credentials =>
  authorisation[operation]?.nobody === 'NO_API_KEY'
    ? { key: site.key }
    : credentialsFor(site, operation);

interface Trial {
  name: string;
  /** Never served, whatever the operation. */
  never: boolean;
  call: () => Promise<Answer>;
}

/** The sample's body with the value at `path` replaced by JSON text as it is. */
function bodyWith(sample: Sample, path: Path, json: string): string {
  const marked = JSON.stringify(replaced(sample.body ?? {}, path, JSON.parse(MARK)));
  return marked.replace(MARK, () => json);
}

function bodyTrials(operation: string, sample: Sample): Trial[] {
  if (!sample.body) return [];
  const call =
    (raw: string | Uint8Array, headers = {}) =>
    (): Promise<Answer> =>
      send(site, operation, {
        sample: { ...sample, body: {} },
        ...credentialsOf(operation),
        raw,
        headers,
      });
  const free = new Set(freeForm[operation]);
  const isData = (path: Path, { json }: BadValue): boolean =>
    json.startsWith('{"$') && !free.has(path.join('.'));
  const places = placesOf(sample.body);
  return [
    ...places.flatMap(({ path, value }) =>
      BAD_VALUES.map((bad) => ({
        name: `${path.join('.')} = ${bad.name}`,
        never: bad.never === true || (typeof value === 'string' && isData(path, bad)),
        call: call(bodyWith(sample, path, bad.json)),
      })),
    ),
    ...places.map(({ path }) => ({
      name: `${path.join('.')} left out`,
      never: false,
      call: call(JSON.stringify(replaced(sample.body, path, undefined))),
    })),
    ...BAD_BODIES.map(({ name, raw, headers }) => ({
      name,
      never: true,
      call: call(raw, headers),
    })),
  ];
}

/** A form with one text put in as it is, without a member, with one twice, and what is no form. */
function formTrials(operation: string, sample: Sample): Trial[] {
  if (!sample.form) return [];
  const form = Object.entries(sample.form);
  const written = (raw: string | Uint8Array, headers = {}) => ({
    never: true,
    call: (): Promise<Answer> =>
      send(site, operation, {
        sample,
        ...credentialsOf(operation),
        raw,
        headers: { ...asForm({}).headers, ...headers },
      }),
  });
  const rest = (without: string): string =>
    new URLSearchParams(form.filter(([name]) => name !== without)).toString();
  return [
    ...form.flatMap(([name]) => [
      ...BAD_TEXTS.map((text) => ({
        name: `${name}=${text.slice(0, 40)}`,
        ...written(`${name}=${text}&${rest(name)}`),
      })),
      { name: `${name} left out`, ...written(rest(name)) },
      { name: `${name} twice`, ...written(`${rest('')}&${rest('')}`) },
    ]),
    ...BAD_BODIES.map(({ name, raw, headers }) => ({ name, ...written(raw, headers) })),
  ];
}

/** One address with one text put in as it is, which `URLSearchParams` would encode. */
function addressTrials(operation: string, sample: Sample): Trial[] {
  const [method = '', path = ''] = operation.split(' ');
  const { params = {}, query = {}, body, form } = sample;
  const call = (values: Record<string, string>, search: string) => (): Promise<Answer> => {
    const address = path.replace(/:(\w+)/g, (_, name: string) => values[name] ?? name);
    return ground.app.call(method, address + search, {
      ...credentialsOf(operation),
      ...(body && { body }),
      ...(form && asForm(form)),
    });
  };
  const rest = (without: string): string =>
    new URLSearchParams(Object.entries(query).filter(([name]) => name !== without)).toString();
  const inQuery = Object.entries(query).flatMap(([name, value]) => [
    ...BAD_TEXTS.map((text) => ({ search: `${name}=${text}`, never: text.includes('%00') })),
    { search: `${name}[$ne]=1`, never: false },
    { search: `${name}=`, never: false },
    { search: `${name}=${value}&${name}=${value}`, never: false },
  ]);
  return [
    ...Object.keys(params).flatMap((name) =>
      BAD_TEXTS.map((text) => ({
        name: `:${name} = ${text.slice(0, 40)}`,
        never: true,
        call: call({ ...params, [name]: text }, ''),
      })),
    ),
    ...inQuery.map(({ search, never }) => ({
      name: `?${search.slice(0, 60)}`,
      never,
      call: call(params, `?${search}&${rest(search.split(/[=[]/)[0] ?? '')}`),
    })),
  ];
}

/** A browser that is sent on is told of a refusal in the address. */
const wasServed = ({ status, headers }: Answer): boolean =>
  status < 300 || (status < 400 && !/[?&]error=/.test(headers.get('location') ?? ''));

/** Runs the trials a few at a time; answers what was wrong, and how many were served. */
async function run(
  operation: string,
  trials: Trial[],
): Promise<{ faults: string[]; served: number }> {
  const faults: string[] = [];
  let served = 0;
  const queue = trials.values();
  const worker = async (): Promise<void> => {
    for (const { name, never, call } of queue) {
      const answer = await call();
      const fault = faultOf(operation, answer);
      if (wasServed(answer) || answer.body?.code === 'SVC_BLOCKED_BY_POLICY') served += 1;
      if (fault !== null) faults.push(`${name}: ${fault}`);
      else if (never && wasServed(answer)) faults.push(`${name}: was served`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return { faults, served };
}

async function counts(): Promise<Record<string, number>> {
  const names =
    (await ground.database.db?.listCollections().toArray())?.map(({ name }) => name) ?? [];
  const kept = names.filter((name) => !DERIVED.test(name)).sort();
  const entries = await Promise.all(
    kept.map(
      async (name) => [name, await ground.database.collection(name).countDocuments()] as const,
    ),
  );
  return Object.fromEntries(entries);
}

const grown = (
  before: Record<string, number>,
  after: Record<string, number>,
): Record<string, number> =>
  Object.fromEntries(
    Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)]),
  );

/** Collections that changed by something else than whole successes. */
function halfWritten(
  once: Record<string, number>,
  all: Record<string, number>,
  served: number,
): string[] {
  return Object.entries(all).flatMap(([name, growth]) => {
    const whole = (once[name] ?? 0) * served;
    const fits =
      name === AUDIT_LOG
        ? growth >= whole
        : growth >= Math.min(0, whole) && growth <= Math.max(0, whole);
    return fits ? [] : [`${name}: ${growth} for ${served} successes of ${once[name] ?? 0}`];
  });
}

/** Everything that takes an input, reads first, so that the writes of one sweep cannot disturb the next. */
const withInput = [...mounted.keys()]
  .filter((operation) => operation !== 'GET /health' && operation !== 'GET /ready')
  .sort();

/** Examples that cannot be served: nothing is anchored, set up, signed or begun for them, or the records are fixed. */
const REFUSED: Readonly<Record<string, number>> = {
  'GET /api/v1/hash-chain/anchors/:anchorId/proof': 404,
  'POST /api/v1/auth/mfa/enable': 400,
  'POST /api/v1/auth/mfa/disable': 400,
  'POST /api/v1/auth/mfa/login': 401,
  'GET /api/v1/auth/oauth-a': 404,
  'GET /api/v1/auth/oauth-a/callback': 404,
  'GET /api/v1/auth/oauth-c': 404,
  'GET /api/v1/auth/oauth-c/callback': 404,
  'GET /api/v1/auth/oauth-token': 401,
  'POST /api/v1/auth/sso/initiate': 404,
  'GET /api/v1/auth/sso/mfa-exchange': 401,
  'POST /api/v1/auth/saml/initiate': 404,
  'POST /scim/v2/Groups': 405,
  'PUT /scim/v2/Groups/:id': 405,
  'DELETE /scim/v2/Groups/:id': 405,
};

test.for(withInput)('%s', async (operation) => {
  if (operation === LAST) site = await makeSite(ground, 'last');
  const sample = (await examples[operation]?.(site, site.owner.token)) ?? {};
  const prepared = await counts();
  const good = await send(site, operation, { sample, ...credentialsOf(operation) });
  expect([good.status, faultOf(operation, good)]).toEqual([
    REFUSED[operation] ?? expect.toSatisfy((status: number) => status < 400),
    null,
  ]);
  const once = grown(prepared, await counts());
  if (/logout|revoke/.test(operation))
    site.owner.token = await signInAgain(ground, site.owner.email);
  if (operation === LAST) {
    // What is erased afterwards is erased before anything is counted.
    await ground.app.instance.runJobsOnce();
    site = await makeSite(ground, 'last');
  }

  const fresh = (await examples[operation]?.(site, site.owner.token)) ?? {};
  const start = await counts();
  expect(Object.keys(start).length).toBeGreaterThan(5);
  const trials = [
    ...bodyTrials(operation, fresh),
    ...formTrials(operation, fresh),
    ...addressTrials(operation, fresh),
  ];
  const { faults, served } = await run(operation, trials);
  expect(faults).toEqual([]);
  expect(halfWritten(once, grown(start, await counts()), served)).toEqual([]);
});

const HEADERS = [
  'x-workspace-id',
  'authorization',
  'x-api-key',
  'idempotency-key',
  'x-request-id',
  'user-agent',
];
const HEADER_TEXTS = [
  '{"$ne":null}',
  '__proto__',
  '-1',
  'a,b',
  'Bearer',
  'Bearer null',
  'x'.repeat(3000),
  '\u00ff',
];

test.for(HEADERS)('the header %s', async (header) => {
  for (const operation of ['POST /api/v1/traces', 'GET /api/v1/policies']) {
    for (const text of HEADER_TEXTS) {
      const sample = (await examples[operation]?.(site, site.owner.token)) ?? {};
      const answer = await send(site, operation, {
        sample,
        ...credentialsOf(operation),
        headers: { [header]: text },
      });
      expect(faultOf(operation, answer), `${header}: ${text.slice(0, 40)}`).toBeNull();
    }
  }
});

/** Every chain of every organisation, link by link. */
async function brokenLinks({ collection, genesis }: Chain): Promise<string[]> {
  const entries = await ground.database
    .collection(collection)
    .find()
    .sort({ organizationId: 1, sequence: 1 })
    .toArray();
  const heads = new Map<string, { sequence: number; chainHash: string }>();
  return entries.flatMap(
    ({ organizationId, sequence, prevHash, payloadDigest, createdAt, chainHash: found }) => {
      const organization = String(organizationId);
      const head = heads.get(organization) ?? { sequence: 0, chainHash: genesis };
      heads.set(organization, { sequence, chainHash: found });
      const link = {
        prevHash: head.chainHash,
        payloadDigest,
        sequence: head.sequence + 1,
        createdAt: chainTime(createdAt),
      };
      return prevHash === head.chainHash && found === chainHash(link)
        ? []
        : [`${collection} ${organization} ${sequence}`];
    },
  );
}

test('afterwards both chains are whole, no audit row waits, and the main job still works', async () => {
  expect(await brokenLinks(DECISIONS)).toEqual([]);
  expect(await brokenLinks(AUDIT)).toEqual([]);
  await expect.poll(() => ground.database.collection('audit_rows').countDocuments()).toBe(0);
  await ground.app.instance.runJobsOnce();
  const other = await makeSite(ground, 'afterwards');
  const sample = (await examples['POST /api/v1/traces']?.(other, '')) ?? {};
  expect((await send(other, 'POST /api/v1/traces', { sample, key: other.key })).status).toBe(201);
});
