// The API document names what operations share, and says written out what the routes declare.
import { expect, test } from 'vitest';
import { z } from 'zod';
import { describeComponents } from '../../../scripts/count-schemas.ts';
import { renderOpenApi } from '../../../scripts/openapi.ts';
import { registry } from '../../../src/errors.ts';
import { toAccessStatus } from '../../../src/http/answers/access-envelope.ts';
import { listDeclaredCodes } from '../../../src/http/declaration/declared-codes.ts';
import type { Route } from '../../../src/http/declaration/define-route.ts';
import { nameSchemas } from '../../../src/http/declaration/schema-names.ts';
import { createComponents } from '../../../src/http/documents/components.ts';
import { convertWhole } from '../members/json-schemas.ts';
import { mounted } from '../mounted.ts';
import { dereference } from '../references.ts';

interface Operation {
  operationId: string;
  'x-sdk': string;
  parameters: { name: string; in: string; required: boolean; schema: object }[];
  requestBody?: { required: true; content: Record<string, { schema: object }> };
  responses: Record<string, { description: string; content?: Record<string, { schema: object }> }>;
}

const text = renderOpenApi();
const document = JSON.parse(text) as { components: Record<string, Record<string, object>> };
const { paths } = dereference(document) as { paths: Record<string, Record<string, Operation>> };

function findOperation(name: string): Operation {
  const [method = '', path = ''] = name.split(' ');
  const found = paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
  if (!found) throw new Error(`${name} is not in the document`);
  return found;
}

/** Lists name and operation of every route, and the route. */
const operations = [...mounted].map(
  ([name, { path, route }]) => [name, findOperation(name), { path, route }] as const,
);

/** Converts a schema whole, with free values as the document shows them. */
function toExpected(schema: z.ZodType, io: 'input' | 'output'): unknown {
  const {
    $schema: _dialect,
    $defs: _values,
    ...whole
  } = convertWhole(schema, io) as object & {
    $schema?: string;
    $defs?: object;
  };
  const free = JSON.stringify(whole)
    .replace(/"\$ref":"#(\/\$defs\/__schema\d+)?"/g, '"$ref":"#/components/schemas/Json"')
    // Every integer of JSON has these bounds.
    .replaceAll(/,"(minimum|maximum)":-?9007199254740991(?=[,}])/g, '');
  return omitUnicodePatterns(JSON.parse(free) as Json);
}

type Json = string | number | boolean | null | Json[] | { [member: string]: Json };

/** Not every validator knows classes of Unicode: the document describes such patterns in words. */
function omitUnicodePatterns(value: Json): Json {
  const isKnown = (part: Json): boolean => !/^\{"pattern":"[^"]*\\\\p\{/.test(JSON.stringify(part));
  if (Array.isArray(value)) return value.filter(isKnown).map(omitUnicodePatterns);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, part]) => !isSaidAlready(value, name, part))
      .map(([name, part]) => [name, omitUnicodePatterns(part)]),
  );
}

/** A format says the pattern of a date, and JSON that names are texts. */
const isSaidAlready = (schema: { format?: Json }, name: string, part: Json): boolean =>
  (name === 'pattern' && schema.format === 'date-time') ||
  (name === 'propertyNames' && JSON.stringify(part) === '{"type":"string"}');

const readSchema = (content: Record<string, { schema: object }> | undefined): unknown =>
  Object.values(content ?? {})[0]?.schema;

test('every body is the one of its route, member by member', () => {
  let compared = 0;
  for (const [name, { requestBody }, { route }] of operations) {
    expect(requestBody !== undefined, name).toBe(route.body !== undefined);
    if (!route.body) continue;
    expect(readSchema(requestBody?.content), name).toEqual(toExpected(route.body, 'input'));
    compared += 1;
  }
  expect(compared).toBeGreaterThan(80);
});

/** What the data of an answer looks like in its envelope. */
function readData(route: Route, operation: Operation): unknown {
  const response = operation.responses[String(route.statuses.find((status) => status < 300))];
  const schema = readSchema(response?.content) as { allOf?: unknown[]; anyOf?: unknown[] };
  const envelope = (schema?.anyOf?.[0] ?? schema) as { allOf?: [object, Envelope] };
  const [shared, { properties = {}, required = [] }] = envelope.allOf ?? [{}, {}];
  expect((shared as Envelope).required).toContain('success');
  expect(required).toEqual(['data']);
  return properties;
}
interface Envelope {
  properties?: Record<string, unknown>;
  required?: readonly string[];
}

test('every answer is the envelope with the view of its route, member by member', () => {
  let compared = 0;
  for (const [name, operation, { route }] of operations) {
    const isEnvelope = route.kind === undefined || route.kind === 'json';
    if (!isEnvelope || !route.statuses.some((status) => status < 300 && status !== 204)) continue;
    const view = toExpected(route.data, 'output');
    const extra = route.extra && (toExpected(route.extra, 'output') as Envelope).properties;
    const data = route.page ? { type: 'array', items: view } : view;
    expect(readData(route, operation), name).toEqual({ data, ...extra });
    compared += 1;
  }
  expect(compared).toBeGreaterThan(180);
});

/** Removes null from a schema, which a query cannot contain; a default stands there as a query writes it. */
function toQuerySchema({ anyOf, ...rest }: QuerySchema): QuerySchema {
  const left = anyOf?.filter(({ type }) => type !== 'null') ?? [{}];
  const { default: fallback, ...schema }: QuerySchema =
    left.length === 1 ? { ...left[0], ...rest } : { ...rest, anyOf: left };
  if (fallback === undefined || fallback === null) return schema;
  return { ...schema, default: schema.type === 'string' ? `${fallback}` : fallback };
}
interface QuerySchema {
  type?: unknown;
  anyOf?: QuerySchema[];
  description?: string;
  default?: string | number | boolean | null;
}

test('every operation has the parameters of its route, with their schemas', () => {
  for (const [name, { parameters }, { path, route }] of operations) {
    const text = { type: 'string' };
    const query = route.query && (toExpected(route.query, 'input') as Envelope);
    const expected = [
      ...[...path.matchAll(/:(\w+)/g)].map(([, parameter]) => ['path', parameter, true, text]),
      ...Object.entries(query?.properties ?? {}).map(([parameter, schema]) => {
        const { description: _text, ...own } = schema as QuerySchema;
        return [
          'query',
          parameter,
          (query?.required ?? []).includes(parameter),
          toQuerySchema(own),
        ];
      }),
      ...(route.auth === 'public' ? [] : [['header', 'x-workspace-id', false, text]]),
      ...(route.replay || route.repeatable ? [['header', 'Idempotency-Key', false, text]] : []),
      ...(route.readLastChange ? [['header', 'If-Match', false, text]] : []),
    ];
    const shown = parameters.map((one) => [one.in, one.name, one.required, one.schema]);
    expect(shown, name).toEqual(expected);
  }
});

test('every operation has the statuses and codes of its route, and no others', () => {
  for (const [name, { responses }, { route }] of operations) {
    const codes = [...listDeclaredCodes(route), 'HEADERS_TOO_LARGE' as const];
    const toStatus = ({ http }: { http: number }): number =>
      route.kind === 'access' ? toAccessStatus(http) : http;
    const statuses = [...route.statuses, ...codes.map((code) => toStatus(registry[code]))];
    expect(Object.keys(responses), name).toEqual([...new Set(statuses)].map(String).sort());
    const shown = Object.values(responses).flatMap(({ description }) =>
      [...description.matchAll(/`([A-Z_]+)`: /g)].map(([, code]) => code),
    );
    expect(shown.sort(), name).toEqual([...codes].sort());
  }
});

test('operation ids and names for client libraries are unique, and no name is also a group', () => {
  const ids = operations.map(([, { operationId }]) => operationId);
  const names = operations.map(([, operation]) => operation['x-sdk']);
  expect(new Set(ids).size).toBe(operations.length);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  expect(names.filter((name) => names.some((other) => other.startsWith(`${name}.`)))).toEqual([]);
  expect(names.filter((name) => !/^[a-z][A-Za-z0-9]*(\.[a-z][A-Za-z0-9]*)+$/.test(name))).toEqual(
    [],
  );
  expect(names).toEqual(expect.arrayContaining(['decisions.create', 'reviews.decide']));
});

test('the document has its models by name and stays small', () => {
  const { schemas, bytes } = describeComponents(text);
  expect(schemas).toBeGreaterThanOrEqual(120);
  expect(bytes).toBeLessThan(900_000);
});

test('every component is used, and every view of a resource has a name', () => {
  const unused = Object.entries(document.components)
    .filter(([section]) => section !== 'securitySchemes')
    .flatMap(([section, members]) =>
      Object.keys(members).map((name) => `#/components/${section}/${name}`),
    )
    .filter((reference) => !text.includes(`"${reference}"`));
  expect(unused).toEqual([]);
});

test('one name for two schemas is refused', () => {
  const components = createComponents();
  const member = z.object({ member: z.string() });
  const [first, second] = [member, member.extend({ other: z.string() })];
  nameSchemas({ Twice: first });
  components.describeSchema(first, 'input');
  expect(() => components.describeSchema(first, 'output')).toThrow('Twice means two things');
  expect(components.describeSchema(second, 'output')).not.toHaveProperty('$ref');
});
