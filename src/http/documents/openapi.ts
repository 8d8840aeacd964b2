// Generates the OpenAPI document from the route declarations.
import { z } from 'zod';
import { groupBy } from '../../domain/group-by.ts';
import { MAX_DEPTH, MAX_VALUES } from '../../domain/record/safe-json.ts';
import { registry } from '../../errors.ts';
import { listDeclaredCodes } from '../declaration/declared-codes.ts';
import type { Route } from '../declaration/define-route.ts';
import { listRoutes, type Mount } from '../router.ts';

type Schema = Record<string, unknown>;

const JSON_VALUE = { $ref: '#/components/schemas/Json' };

/** Restores the default, which the converter drops for transformed schemas. */
function keepDefault({
  zodSchema,
  jsonSchema,
}: {
  zodSchema: z.core.$ZodType;
  jsonSchema: Schema;
}) {
  const { default: fallback } = z.globalRegistry.get(zodSchema) ?? {};
  if (fallback !== undefined) jsonSchema.default = fallback;
}

/** Converts a zod schema to JSON Schema for OpenAPI 3.1. The only recursive schema is `z.json()`, which all share. */
function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): Schema {
  const {
    $schema: _dialect,
    $defs: _json,
    ...rest
  } = z.toJSONSchema(schema, { io, unrepresentable: 'any', override: keepDefault });
  const text = JSON.stringify(rest).replace(
    /"\$ref":"#(\/\$defs\/__schema\d+)?"/g,
    `"$ref":"${JSON_VALUE.$ref}"`,
  );
  return JSON.parse(text) as Schema;
}

const SECURITY: Record<Route['auth'], object[]> = {
  public: [],
  user: [{ session: [] }],
  reader: [{ session: [] }, { apiKey: [] }],
  calendar: [{ session: [] }, { feedToken: [] }],
  workspaceKey: [{ apiKey: [] }],
  anyKey: [{ apiKey: [] }],
  scim: [{ scimToken: [] }],
};

const FAILURE = { $ref: '#/components/schemas/Failure' };
const SCIM_FAILURE = { $ref: '#/components/schemas/ScimError' };
const COUNTED = {
  type: 'integer',
  description: 'Exact up to 10,000; a lower bound beyond that',
};
const PAGINATION = { $ref: '#/components/schemas/Pagination' };

const DESCRIPTION =
  `Bodies of JSON have at most ${MAX_DEPTH} levels of nesting and ${MAX_VALUES} members and elements. ` +
  'Refused with 400: lone surrogates, NUL, the key `__proto__`, and numbers that are infinite or integers beyond 2^53 - 1.';

/** Generates the OpenAPI 3.1 document of every mounted route. */
export function generateOpenApi(mounts: readonly Mount[]): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const { path, route } of listRoutes(mounts)) {
    (paths[path.replace(/:(\w+)/g, '{$1}')] ??= {})[route.method] = describeOperation(path, route);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Assay',
      version: '1',
      summary: 'Governance back end for AI agents',
      description: DESCRIPTION,
    },
    servers: [{ url: '/' }],
    tags: [...new Set(listRoutes(mounts).map(({ path }) => deriveTag(path)))]
      .sort()
      .map((name) => ({ name })),
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      securitySchemes: listSecuritySchemes(mounts),
      parameters: listSharedParameters(),
      schemas: listSharedSchemas(),
    },
  };
}

function deriveTag(path: string): string {
  return (
    path
      .replace(/^\/(api\/v1\/|(?=scim\/))/, '')
      .split('/')[0]
      ?.replace(/^$/, 'service') ?? 'service'
  );
}

function deriveOperationId(path: string, { method }: Route): string {
  const words = path
    .replace(/^\/api\/v1/, '')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '' && word !== 'api');
  return method + words.map((word) => (word[0] ?? '').toUpperCase() + word.slice(1)).join('');
}

function describeOperation(path: string, route: Route): object {
  const gates = Object.entries({
    roles: route.roles,
    'system-roles': route.systemRoles,
    plan: route.plan,
    limits: route.limits,
    heavy: route.heavy,
    audit: route.audit?.action,
  });
  return {
    operationId: deriveOperationId(path, route),
    summary: route.summary,
    tags: [deriveTag(path)],
    security: SECURITY[route.auth],
    'x-auth': route.auth,
    ...Object.fromEntries(
      gates.filter(([, value]) => value !== undefined).map(([name, value]) => [`x-${name}`, value]),
    ),
    parameters: [
      ...listPathParameters(path),
      ...listQueryParameters(route),
      ...listHeaderParameters(route),
    ],
    ...(route.body && {
      requestBody: {
        required: true,
        content: { [getBodyMediaType(route)]: { schema: toJsonSchema(route.body, 'input') } },
      },
    }),
    responses: describeResponses(route),
  };
}

function listPathParameters(path: string): object[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function listQueryParameters({ query }: Route): object[] {
  if (!query) return [];
  const { properties = {}, required = [] } = toJsonSchema(query, 'input') as {
    properties?: Record<string, Schema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(description ? { description } : {}),
    schema: removeNull(rest),
  }));
}

/** Removes null, which a query cannot contain. */
function removeNull({ anyOf, ...rest }: Schema): Schema {
  if (!Array.isArray(anyOf)) return rest;
  const left = (anyOf as Schema[]).filter(({ type }) => type !== 'null');
  return left.length === 1 ? { ...left[0], ...rest } : { ...rest, anyOf: left };
}

function listHeaderParameters({ auth, replay }: Route): object[] {
  return [
    ...(auth === 'public' ? [] : [{ $ref: '#/components/parameters/Workspace' }]),
    ...(replay ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
  ];
}

interface ResponseObject {
  description: string;
  content?: Record<string, { schema: object }>;
}

/** Describes all responses; a failure may have the status of a success, which then has either schema. */
function describeResponses(route: Route): Record<string, object> {
  const successResponses = describeSuccesses(route) as Record<string, ResponseObject>;
  const failureResponses = describeFailures(route) as Record<string, ResponseObject>;
  const both = Object.keys(failureResponses).filter((status) => status in successResponses);
  const mergeResponses = (status: string): ResponseObject => ({
    description: `${successResponses[status]?.description}; ${failureResponses[status]?.description}`,
    content: {
      [getMediaType(route)]: {
        schema: {
          anyOf: [successResponses, failureResponses].map(
            (side) => side[status]?.content?.[getMediaType(route)]?.schema,
          ),
        },
      },
    },
  });
  return {
    ...successResponses,
    ...failureResponses,
    ...Object.fromEntries(both.map((status) => [status, mergeResponses(status)])),
  };
}

function describeSuccesses(route: Route): Record<string, object> {
  return Object.fromEntries(
    route.statuses.map((status) => [
      status,
      route.kind === 'redirect'
        ? {
            description: 'Redirect of the browser',
            headers: { Location: { schema: { type: 'string', format: 'uri' } } },
          }
        : {
            description: 'Success',
            ...(!isEmpty(status, route) && { content: describeContent(route) }),
          },
    ]),
  );
}

/** Nothing is there to show, or to hand out yet. */
const isEmpty = (status: number, { kind }: Route): boolean =>
  status === 204 || (status === 202 && kind === 'file');

/** A JSON file is an object that its own format describes (docs/reference/formats.md). */
function describeFileContent({ path, mediaType: types }: Route): object {
  if (types === undefined) throw new Error(`${path}: a file has a media type`);
  const json = { type: 'object', additionalProperties: true };
  const other = { type: 'string', format: 'binary' };
  return Object.fromEntries(
    [types].flat().map((type) => [type, { schema: type.endsWith('json') ? json : other }]),
  );
}

function describeContent(route: Route): object {
  if (route.kind === 'file') return describeFileContent(route);
  if (route.kind === 'stream') return { 'text/event-stream': { schema: { type: 'string' } } };
  const data = toJsonSchema(route.data, 'output');
  if (route.kind === 'scim') return { [getMediaType(route)]: { schema: data } };
  const extra = route.extra
    ? ((toJsonSchema(route.extra, 'output') as { properties?: Schema }).properties ?? {})
    : {};
  const list = {
    data: { type: 'array', items: data },
    count: { type: 'integer' },
    total: { type: 'integer' },
    pagination: PAGINATION,
  };
  const properties = { success: { const: true }, ...(route.page ? list : { data }), ...extra };
  return {
    'application/json': { schema: { type: 'object', required: ['success', 'data'], properties } },
  };
}

const getBodyMediaType = (route: Route): string =>
  route.bodyType === 'form' ? 'application/x-www-form-urlencoded' : getMediaType(route);

const getMediaType = ({ kind }: Route): string =>
  kind === 'scim' ? 'application/scim+json' : 'application/json';

/** One response per status, with the codes it may carry; any request may have headers that are too large. */
function describeFailures(route: Route): Record<string, object> {
  const byStatus = groupBy(
    [...listDeclaredCodes(route), 'HEADERS_TOO_LARGE' as const],
    (code) => registry[code].http,
  );
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: codes.map((code) => `\`${code}\`: ${registry[code].meaning}`).join('; '),
        content: {
          [getMediaType(route)]: { schema: route.kind === 'scim' ? SCIM_FAILURE : FAILURE },
        },
      },
    ]),
  );
}

/** The security schemes in use. */
function listSecuritySchemes(mounts: readonly Mount[]): object {
  const used = new Set(
    listRoutes(mounts).flatMap(({ route }) => SECURITY[route.auth].flatMap(Object.keys)),
  );
  const schemes = {
    session: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description: 'Session token of a dashboard user',
    },
    apiKey: {
      type: 'apiKey',
      in: 'header',
      name: 'X-API-Key',
      description: 'Workspace key or agent key; also accepted as `Authorization: Bearer`',
    },
    feedToken: {
      type: 'apiKey',
      in: 'query',
      name: 'token',
      description: 'Token of a calendar feed',
    },
    scimToken: { type: 'http', scheme: 'bearer', description: 'SCIM token of the organisation' },
  };
  return Object.fromEntries(Object.entries(schemes).filter(([name]) => used.has(name)));
}

function listSharedParameters(): object {
  const describeHeader = (name: string, description: string): object => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  });
  return {
    Workspace: describeHeader(
      'x-workspace-id',
      'Id of the workspace; default: the default workspace, or all of them for lists',
    ),
    IdempotencyKey: describeHeader(
      'Idempotency-Key',
      'A repeated request with the same key gets the response of the first',
    ),
  };
}

function listSharedSchemas(): object {
  const integer = { type: 'integer' };
  return {
    Failure: {
      type: 'object',
      required: ['success', 'error', 'code'],
      properties: {
        success: { const: false },
        error: { type: 'string', description: 'For humans; may change' },
        code: { type: 'string', enum: Object.keys(registry) },
        data: JSON_VALUE,
      },
    },
    ScimError: {
      type: 'object',
      description: 'RFC 7644, section 3.12; `code` where the plan lacks SCIM',
      required: ['schemas', 'status', 'detail'],
      properties: {
        schemas: { type: 'array', items: { type: 'string' } },
        status: { type: 'string' },
        scimType: { type: 'string' },
        detail: { type: 'string', description: 'For humans; may change' },
        code: { type: 'string', enum: ['UPGRADE_REQUIRED'] },
      },
    },
    Json: { description: 'Any JSON value' },
    Pagination: {
      type: 'object',
      required: ['page', 'limit', 'total', 'pages', 'hasMore'],
      properties: {
        page: integer,
        limit: integer,
        total: COUNTED,
        pages: integer,
        hasMore: { type: 'boolean' },
      },
    },
  };
}
