// Another organisation's records do not exist: its ids are answered like unknown ones, and its texts are never seen.
// @module-tag varied
import { expect } from 'vitest';
import { z } from 'zod';
import type { Route } from '../../src/http/declaration/define-route.ts';
import { generateHex } from '../../src/platform/ids.ts';
import { selectShare } from '../setup/runs.ts';
import type { Answer } from '../setup/start-app.ts';
import { findFault } from './answers.ts';
import { access, examples } from './examples/all.ts';
import type { Example, Sample } from './examples/example.ts';
import { test as base } from './fixtures.ts';
import { mounted, listParameters } from './mounted.ts';
import { listPlaces, replaceValue, readValue, type Path } from './paths.ts';
import { selectCredentials, sendSample, type Credentials } from './requests.ts';
import { createTenant, type Tenant } from './tenant.ts';

/** What is unknown is made under the name that is given. */
const MAKES: ReadonlySet<string> = new Set([
  'PUT /api/v1/policy-lists/:name',
  'PUT /api/v1/tools/:name',
]);

const CANARY = 'nightingale';
/** Members named like ids that name no record of an organisation, or are stored without a look-up. */
const NO_RECORD = new Set([
  'templateId',
  'planId',
  'clauseId',
  'lastEventId',
  'deployerProfileId',
  'triggerTraceIds',
  'relatedAgentIds',
  'evidenceTraceId',
  'conversationId',
  'externalId',
  'subjectId',
  'credentialId',
  'scrubNationalIds',
  'clientId',
  'entityId',
]);
/** Parameters that name something global, public, or compared without a look-up. */
const SAME_EVERYWHERE =
  /(\/log\/:logId\/\S+|\/:revision|\/:action|\/saml\/metadata\/:orgId|\/sso\/callback\/:orgId|\/(Groups|ResourceTypes|Schemas)\/:id|\/:checkpointId\/complete)$/;
/** Parameters that are tokens, which authorise by themselves. */
const recordParameters = (operation: string): string[] =>
  listParameters(operation.replace(SAME_EVERYWHERE, '')).filter((name) => name !== 'token');
/** Placeholder operations, which look nothing up. */
const PLACEHOLDER = /^DELETE \S+\/(passkeys|trusted-devices)\//;
/** Parts of an answer that differ between two answers to the same request. */
const VOLATILE =
  /"(_id|id|traceId|createdAt|updatedAt|salt|commitment|self|chainHash|sequence|prefix|key|count|total|behind)":("[^"]*"|\d+)/g;

const test = base
  .extend('ours', { scope: 'file' }, ({ harness }) => createTenant(harness, 'ours'))
  .extend('theirs', { scope: 'file' }, ({ harness }) => createTenant(harness, CANARY));

/** Everything of ours that may call the operation: the owner, and a workspace key where keys are let in. */
function listCallers(ours: Tenant, operation: string): Credentials[] {
  const row = access[operation];
  return [
    ...(row?.anonymous === 'NO_API_KEY' ? [] : [selectCredentials(ours, operation)]),
    ...(['FORBIDDEN', 'NO_TOKEN'].includes(row?.workspaceKey ?? '') ? [] : [{ key: ours.key }]),
  ];
}

/** An id of the same form that nothing has. */
function toUnknownId(id: string): string {
  if (id.startsWith('trc_')) return `trc_${generateHex(16)}`;
  return /^[0-9a-f]+$/.test(id) ? generateHex(id.length / 2) : `none-${generateHex(8)}`;
}

const isIdPath = (path: Path): boolean => {
  const name = String(path.findLast((step) => typeof step === 'string') ?? '');
  return (
    (/^(id|ids|jti|userId)$|Ids?$/.test(name) || /^digest$/.test(name)) && !NO_RECORD.has(name)
  );
};

/** Ids of no record: an authenticator makes them. */
const IDS_OF_OTHERS: Readonly<Record<string, readonly string[]>> = {
  'POST /api/v1/auth/credentials': ['id'],
};

/** Finds the paths of a sample that hold an id. */
function findIds(operation: string, sample: Sample): Path[] {
  const inputs = listPlaces({ query: sample.query ?? {}, body: sample.body ?? {} });
  return [
    ...recordParameters(operation).map((name) => ['params', name]),
    ...inputs
      .filter(({ path, value }) => typeof value === 'string' && isIdPath(path))
      .filter(({ path }) => !IDS_OF_OTHERS[operation]?.includes(String(path.at(-1))))
      .map(({ path }) => path),
  ];
}

function describeAnswer({ status, text, headers }: Answer, id: string): object {
  const type = headers.get('content-type');
  // A PDF repeats its filter and tells its time, in streams of other lengths: its own tests read it.
  if (type === 'application/pdf') return { status, type };
  return { status, type, text: text.replaceAll(id, '<id>').replace(VOLATILE, '"$1":"<changes>"') };
}

/** Names of id members that the declared schema has, at any depth. */
function listDeclaredIds(route: Route): string[] {
  const schemas = [route.query, route.body].filter((schema) => schema !== undefined);
  const names = schemas.flatMap((schema) =>
    [
      ...JSON.stringify(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })).matchAll(
        /"(\w+)":\{/g,
      ),
    ].map(([, name]) => name ?? ''),
  );
  return [...new Set(names)].filter((name) => isIdPath([name]));
}

// Reading comes before writing: an unknown `agentId` in a decision is free text, and then it is known.
/** SCIM errors have no code of their own, and those of OTLP a number. */
function describeNotFound(operation: string): object {
  const kind = mounted.get(operation)?.route.kind;
  if (kind === 'otlp') return { status: 404, body: { code: 5 } };
  if (kind === 'access') return { status: 404, text: expect.stringMatching(/^"?NOT_FOUND\b/) };
  if (kind === 'task')
    return { status: 404, body: { detail: expect.stringMatching(/^NOT_FOUND\b/) } };
  return { status: 404, body: kind === 'scim' ? { status: '404' } : { code: 'NOT_FOUND' } };
}

const operations = selectShare([...mounted.keys()].sort());

test.for(operations)('ids: %s', (operation, { ours, theirs }) =>
  tryIds({ ours, theirs, operation, example: examples[operation] }),
);

test('ids: the alternative name of a session', ({ ours, theirs }) =>
  tryIds({
    ours,
    theirs,
    operation: 'POST /api/v1/auth/revoke-session',
    example: ({ auditLogId }) => ({ body: { auditLogId } }),
  }));

interface Trial {
  ours: Tenant;
  theirs: Tenant;
  operation: string;
  example: Example | undefined;
}

/** Samples of ours, to look at once more; their records may be gone. */
const shownBefore = new Map<string, Sample>();

async function tryIds({ ours, theirs, operation, example }: Trial): Promise<void> {
  const [mine, foreign] = [
    await example?.(ours, ours.owner.token),
    await example?.(theirs, theirs.owner.token),
  ];
  if (example === examples[operation]) shownBefore.set(operation, mine ?? {});
  const places = findIds(operation, mine ?? {});
  expect(places.length).toBeGreaterThanOrEqual(recordParameters(operation).length);
  for (const path of places) {
    const id = readValue(foreign, path) as string;
    for (const credentials of listCallers(ours, operation)) {
      const nowhere = toUnknownId(id);
      const asTheirs = await sendSample(ours, operation, {
        sample: replaceValue(mine ?? {}, path, id),
        ...credentials,
      });
      const asUnknown = await sendSample(ours, operation, {
        sample: replaceValue(mine ?? {}, path, nowhere),
        ...credentials,
      });
      expect(describeAnswer(asTheirs, id), `${path.join('.')}: ${id}`).toEqual(
        describeAnswer(asUnknown, nowhere),
      );
      expect(asTheirs.text.replaceAll(id, '')).not.toContain(CANARY);
      expect(findFault(operation, asTheirs)).toBeNull();
      if (path[0] === 'params' && !PLACEHOLDER.test(operation) && !MAKES.has(operation))
        expect(asTheirs).toMatchObject(describeNotFound(operation));
    }
  }
}

test.for(operations.flatMap((operation) => mounted.get(operation) ?? []))(
  'every id that $route.method $path takes is tried',
  async ({ path, route }, { ours }) => {
    const operation = `${route.method.toUpperCase()} ${path}`;
    const sample =
      shownBefore.get(operation) ?? (await examples[operation]?.(ours, ours.owner.token)) ?? {};
    const tried = findIds(operation, sample).map((place) =>
      place.findLast((step) => typeof step === 'string'),
    );
    const isTried = (name: string): boolean =>
      tried.includes(name) || (IDS_OF_OTHERS[operation] ?? ['auditLogId']).includes(name);
    expect(listDeclaredIds(route).filter((name) => !isTried(name))).toEqual([]);
  },
);

test.for(operations)('workspace and texts: %s', async (operation, { ours, theirs }) => {
  const sample = (await examples[operation]?.(ours, ours.owner.token)) ?? {};
  const open = { ...sample, query: {} };
  for (const credentials of listCallers(ours, operation)) {
    const call = (workspaceId: string): Promise<Answer> =>
      sendSample(ours, operation, {
        sample,
        ...credentials,
        headers: { 'x-workspace-id': workspaceId },
      });
    const { anonymous = '', owner } = access[operation] ?? {};
    const gated = anonymous.startsWith('NO_') && owner !== anonymous;
    if (gated) {
      const answer = await call(theirs.workspaceId);
      expect(answer).toMatchObject(describeNotFound(operation));
      expect((await call(toUnknownId(theirs.workspaceId))).text).toBe(answer.text);
    }
    if (operation.startsWith('GET'))
      expect(
        (await sendSample(ours, operation, { sample: open, ...credentials })).text,
      ).not.toContain(CANARY);
  }
});

test('the owner sees the canary texts', async ({ theirs }) => {
  for (const operation of [
    'GET /api/v1/agents',
    'GET /api/v1/policies',
    'GET /api/v1/traces',
    'GET /api/v1/auth/keys',
  ])
    expect(
      (await sendSample(theirs, operation, { sample: {}, token: theirs.owner.token })).text,
    ).toContain(CANARY);
});
