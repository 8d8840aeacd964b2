// Null for an optional member of a body means what its absence means, in every operation and at every depth.
import { expect } from 'vitest';
import type { z } from 'zod';
import { removeAbsent } from '../../../src/platform/inputs/check-input.ts';
import { TOOLS } from '../../../src/governance/mcp-server/bridge.schemas.ts';
import { examples, refusedWith } from '../examples/all.ts';
import { test } from '../fixtures.ts';
import { mounted } from '../mounted.ts';
import { listPlaces, replaceValue, readValue, type Path } from '../paths.ts';
import { selectCredentials, sendSample } from '../requests.ts';
import { createSharing, createTenant } from '../tenant.ts';
import { convertWhole, listBranches, type Schema, findSchemas } from './json-schemas.ts';

const bodies: [name: string, schema: z.ZodType][] = [
  ...[...mounted].flatMap(([operation, { route }]): [string, z.ZodType][] =>
    route.body && route.bodyType !== 'form' ? [[operation, route.body]] : [],
  ),
  ...TOOLS.map(({ name, arguments: schema }): [string, z.ZodType] => [`tool ${name}`, schema]),
];

const toSchema = (schema: z.ZodType): Schema => convertWhole(schema, 'input');
const mayBeNull = (schema: Schema): boolean =>
  schema.$ref !== undefined ||
  [schema.type].flat().includes('null') ||
  listBranches(schema).some(mayBeNull) ||
  (schema.type === undefined && listBranches(schema).length === 0 && !('enum' in schema));

/** The optional members below a schema that refuse null. */
function findRefusals(schema: Schema, path = ''): string[] {
  const { properties = {}, required = [], items } = schema;
  return [
    ...Object.entries(properties).flatMap(([name, member]) => [
      ...(required.includes(name) || mayBeNull(member) ? [] : [`${path}${name}`]),
      ...findRefusals(member, `${path}${name}.`),
    ]),
    ...(items ? findRefusals(items, path) : []),
    ...listBranches(schema).flatMap((branch) => findRefusals(branch, path)),
  ];
}

test('no optional member of a body or of a tool refuses null', () => {
  expect(bodies.length).toBeGreaterThan(80);
  expect(bodies.flatMap(([name, schema]) => findRefusals(toSchema(schema), `${name}: `))).toEqual(
    [],
  );
});

/** Members that some schema knows and not every one demands, by the path of their object in the example. */
function listOptionalPaths(schema: Schema, body: unknown): Path[] {
  const objects = [{ path: [] as Path, value: body }, ...listPlaces(body)].filter(
    ({ value }) => typeof value === 'object' && value !== null && !Array.isArray(value),
  );
  return objects.flatMap(({ path }) => {
    const shapes = findSchemas(schema, path).filter(({ properties }) => properties);
    const names = new Set(shapes.flatMap(({ properties = {} }) => Object.keys(properties)));
    const isDemanded = (name: string): boolean =>
      shapes.every(({ required = [] }) => required.includes(name));
    return [...names].filter((name) => !isDemanded(name)).map((name) => [...path, name]);
  });
}

const read = (schema: z.ZodType, body: unknown): unknown => {
  const { success, data } = schema.safeParse(body);
  return success ? JSON.stringify(removeAbsent(data)) : 'refused';
};

/** What null at `path` does that absence does not, unless the member then is null, which is a value of its own. */
function isDifferent(schema: z.ZodType, body: unknown, path: Path): boolean {
  const absent = read(schema, replaceValue(body, path, undefined));
  const sent = read(schema, replaceValue(body, path, null));
  if (sent === absent) return false;
  if (sent === 'refused') return true;
  return readValue(JSON.parse(String(sent)), path) !== null;
}

test(
  'null in an example is read as absence, or is a value of its own',
  { tags: ['long'] },
  async ({ harness }) => {
    const tenant = await createTenant(harness, 'nulls');
    const found: string[] = [];
    let tried = 0;
    for (const [operation, schema] of bodies) {
      const { body } = (await examples[operation]?.(tenant, tenant.owner.token)) ?? {};
      if (!body) continue;
      for (const path of listOptionalPaths(toSchema(schema), body)) {
        tried += 1;
        if (isDifferent(schema, body, path)) found.push(`${operation}: ${path.join('.')}`);
      }
    }
    expect(found).toEqual([]);
    expect(tried).toBeGreaterThan(200);
  },
);

/** The body with every optional member null whose null says nothing, so that the example has none of them. */
function fillWithNulls(
  schema: z.ZodType,
  body: object,
): { body: Record<string, unknown>; nulls: number } {
  let sent = body as Record<string, unknown>;
  let nulls = 0;
  for (const path of listOptionalPaths(toSchema(schema), body).filter(
    ({ length }) => length === 1,
  )) {
    const next = replaceValue(sent, path, null);
    const isAbsence = read(schema, next) === read(schema, replaceValue(sent, path, undefined));
    if (!isAbsence || read(schema, next) === 'refused') continue;
    sent = next;
    nulls += 1;
  }
  return { body: sent, nulls };
}

/** The key of the example is of the workspace, and belongs to no agent. */
const NAMES_ITS_AGENT = 'POST /api/v1/traces';

/** Without a change the example asks to enable what is enabled; without its denial a request is of none. */
const REFUSED: Readonly<Record<string, number>> = {
  'POST /api/v1/policies/approvals': 400,
  'POST /access/v1/requests': 400,
};

test(
  'an operation is served with null in every optional member',
  { tags: ['long'] },
  async ({ harness }) => {
    const selectTenant = createSharing(harness, 'sparse');
    const faults: string[] = [];
    let served = 0;
    for (const [operation, schema] of bodies.filter(([name]) => name in examples)) {
      const tenant = await selectTenant(operation);
      const sample = (await examples[operation]?.(tenant, tenant.owner.token)) ?? {};
      if (!sample.body) continue;
      const { body, nulls } = fillWithNulls(schema, sample.body);
      if (nulls === 0) continue;
      const isByKey = mounted.get(operation)?.route.auth.endsWith('Key') ?? false;
      const credentials = isByKey ? { key: tenant.key } : selectCredentials(tenant, operation);
      if (operation === NAMES_ITS_AGENT) body.agentId = (sample.body as typeof body).agentId;
      const call = { ...credentials, sample: { ...sample, body } };
      const { status, body: answer } = await sendSample(tenant, operation, call);
      if (status >= 400 && status !== (REFUSED[operation] ?? refusedWith[operation]))
        faults.push(`${operation}: ${status} ${JSON.stringify(answer)}`);
      served += 1;
    }
    expect(faults).toEqual([]);
    expect(served).toBeGreaterThan(30);
  },
);
