// A missing required member is refused, all other members may be omitted, and answers have their documented type.
// @module-tag varied
import { expect } from 'vitest';
import { generateOpenApi } from '../../../src/http/documents/openapi.ts';
import { mounts } from '../../../src/routes.ts';
import { findFault } from '../answers.ts';
import { examples, refusedWith } from '../examples/all.ts';
import type { Sample } from '../examples/example.ts';
import { test } from '../fixtures.ts';
import { mounted } from '../mounted.ts';
import { listPlaces, replaceValue, type Path } from '../paths.ts';
import { type Credentials, selectCredentials, sendSample } from '../requests.ts';
import { createSharing, createTenant, type Tenant } from '../tenant.ts';
import { dereference } from '../references.ts';
import { chooseRuns, sampleItems } from '../../setup/runs.ts';
import { type Schema, findSchemas } from './json-schemas.ts';

interface Operation {
  parameters: { name?: string; in?: string; required?: boolean }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

const document = dereference(generateOpenApi(mounts)) as {
  paths: Record<string, Record<string, Operation>>;
};

function findOperation(operation: string): Operation {
  const [method = '', path = ''] = operation.split(' ');
  const found = document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
  if (!found) throw new Error(`${operation} is not in the document`);
  return found;
}

interface Members {
  required: Path[];
  optional: Path[];
}

/** The members of an example that every schema demands, and those that none does; what depends on others is neither. */
function splitMembers(schema: Schema, body: object): Members {
  const objects = [{ path: [] as Path, value: body as unknown }, ...listPlaces(body)].filter(
    ({ value }) => typeof value === 'object' && value !== null && !Array.isArray(value),
  );
  const members: Members = { required: [], optional: [] };
  for (const { path, value } of objects) {
    const shapes = findSchemas(schema, path).filter(({ properties }) => properties);
    for (const name of Object.keys(value as object)) {
      const knowing = shapes.filter(({ properties = {} }) => name in properties);
      const demanding = knowing.filter(({ required = [] }) => required.includes(name));
      if (knowing.length === 0) continue;
      if (demanding.length === shapes.length) members.required.push([...path, name]);
      if (demanding.length === 0) members.optional.push([...path, name]);
    }
  }
  return members;
}

const findSchema = (operation: string): Schema | undefined =>
  Object.values(findOperation(operation).requestBody?.content ?? {})[0]?.schema;

const chooseCredentials = (tenant: Tenant, operation: string): Credentials =>
  mounted.get(operation)?.route.auth.endsWith('Key')
    ? { key: tenant.key }
    : selectCredentials(tenant, operation);

const createSample = async (tenant: Tenant, operation: string): Promise<Sample> =>
  (await examples[operation]?.(tenant, tenant.owner.token)) ?? {};

/** The inputs of a sample, whatever a browser calls them. */
const readInputs = ({ body, form }: Sample): Record<string, unknown> | undefined => body ?? form;

function withInputs(sample: Sample, inputs: unknown): Sample {
  return sample.form
    ? { ...sample, form: inputs as Record<string, string> }
    : { ...sample, body: inputs as Record<string, unknown> };
}

const operations = Object.keys(examples);

/** Needed in the example, by what else it says: the document describes it, and cannot call it required. */
const CONDITIONAL = new Set([
  'POST /api/v1/auth/saml/initiate organizationId',
  'PUT /api/v1/organization/sso oidc',
  'POST /api/v1/organization/sso/test settings.saml',
  'POST /api/v1/organization/sso/metadata xml',
  'POST /api/v1/cpi/ingest correctedDecision',
  'POST /api/v1/traces agentId',
  'POST /api/v1/traces inputContext.prompt',
  'POST /api/v1/traces/batch decisions.0.agentId',
  'POST /api/v1/traces/batch decisions.0.inputContext.prompt',
  'POST /api/v1/privacy-budget/query delta',
  'POST /api/v1/mcp-server/tools/call arguments',
  'POST /api/v1/auth/credentials/options password',
  'POST /api/v1/erasure/acknowledge traceIds',
  'POST /api/v1/grants/revoke agentId',
]);

/** Whether one of several questions was understood. */
interface Evaluated {
  context: { error?: { status: number } };
}

function listOptionalMembers(operation: string, schema: Schema, inputs: object): Path[] {
  return splitMembers(schema, inputs).optional.filter(
    (path) => !CONDITIONAL.has(`${operation} ${path.join('.')}`),
  );
}

test(
  'a member or query member that the document calls required is refused when it is missing',
  { tags: ['long'] },
  async ({ harness }) => {
    const tenant = await createTenant(harness, 'required');
    await harness.db.collection('users').updateMany({}, { $set: { systemRole: 'owner' } });
    const faults: string[] = [];
    let tried = 0;
    async function assertRefusal(operation: string, what: string, sample: Sample): Promise<void> {
      tried += 1;
      const answer = await sendSample(tenant, operation, {
        ...chooseCredentials(tenant, operation),
        sample,
      });
      const fault = findFault(operation, answer);
      if (fault) faults.push(fault);
      const { status } = answer;
      const { results } = (answer.body?.data ?? {}) as { results?: { status: number }[] };
      const { evaluations } = (answer.body ?? {}) as { evaluations?: Evaluated[] };
      const statuses =
        results?.map((result) => result.status) ??
        evaluations?.map(({ context }) => context.error?.status);
      const isRefused = status === 400 || statuses?.every((each) => each === 400) === true;
      if (!isRefused) faults.push(`${operation} without ${what}: ${status} ${answer.text}`);
    }
    for (const operation of operations) {
      const sample = await createSample(tenant, operation);
      const inputs = readInputs(sample);
      const schema = findSchema(operation);
      if (inputs && schema)
        for (const path of splitMembers(schema, inputs).required)
          await assertRefusal(
            operation,
            path.join('.'),
            withInputs(sample, replaceValue(inputs, path, undefined)),
          );
      for (const { name = '', in: where, required } of findOperation(operation).parameters) {
        if (where !== 'query' || !required) continue;
        const { [name]: _left, ...query } = sample.query ?? {};
        await assertRefusal(operation, name, { ...sample, query });
      }
    }
    expect(faults).toEqual([]);
    expect(tried).toBeGreaterThan(150);
  },
);

test('a member that the document does not call required is not missed by the schema', async ({
  harness,
}) => {
  const tenant = await createTenant(harness, 'optional');
  const faults: string[] = [];
  let tried = 0;
  for (const operation of sampleItems(operations)) {
    const inputs = readInputs(await createSample(tenant, operation));
    const schema = findSchema(operation);
    if (!inputs || !schema) continue;
    for (const path of listOptionalMembers(operation, schema, inputs)) {
      tried += 1;
      const parsed = mounted
        .get(operation)
        ?.route.body?.safeParse(replaceValue(inputs, path, undefined));
      if (!parsed?.success) faults.push(`${operation} without ${path.join('.')}`);
    }
  }
  expect(faults).toEqual([]);
  expect(tried).toBeGreaterThan(chooseRuns(15, 150));
});

test(
  'an operation is served without each member that the document does not call required',
  { tags: ['long'] },
  async ({ harness }) => {
    const selectTenant = createSharing(harness, 'left');
    const faults: string[] = [];
    let tried = 0;
    for (const operation of operations) {
      const schema = findSchema(operation);
      if (!schema) continue;
      const tenant = await selectTenant(operation);
      await harness.db.collection('users').updateMany({}, { $set: { systemRole: 'owner' } });
      const inputs = readInputs(await createSample(tenant, operation)) ?? {};
      const paths = listOptionalMembers(operation, schema, inputs);
      for (const path of paths.filter(({ length }) => length === 1)) {
        tried += 1;
        const sample = await createSample(tenant, operation);
        const left = withInputs(sample, replaceValue(readInputs(sample), path, undefined));
        const credentials = chooseCredentials(tenant, operation);
        const answer = await sendSample(tenant, operation, { ...credentials, sample: left });
        const fault = findFault(operation, answer);
        if (fault) faults.push(fault);
        // OAuth and access requests have errors of their own for what lacks a member.
        const isServed =
          answer.status < 400 ||
          answer.status === refusedWith[operation] ||
          ['invalid_request', 'invalid_target'].includes(answer.body?.error) ||
          String(answer.body?.type).endsWith(':error:invalid_denial_binding');
        if (!isServed) faults.push(`${operation} without ${path.join('.')}: ${answer.text}`);
      }
    }
    expect(faults).toEqual([]);
    expect(tried).toBeGreaterThan(100);
  },
);
