// Describes the responses of a route: envelopes that all share, views by name, and one response for each set of codes.
import { createHash } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { groupBy } from '../../domain/group-by.ts';
import { type Code, registry } from '../../errors.ts';
import { listDeclaredCodes } from '../declaration/declared-codes.ts';
import type { Route } from '../declaration/define-route.ts';
import { ACCESS_FAILURE_TYPE, toAccessStatus } from '../answers/access-envelope.ts';
import { PROBLEM_MEDIA_TYPE } from '../answers/problem-envelope.ts';
import type { Components, Schema } from './components.ts';

interface ResponseObject {
  description: string;
  headers?: object;
  content?: Record<string, { schema: object }>;
}

/** Describes all responses; a failure may have the status of a success, which then has either schema. */
export function describeResponses(route: Route, components: Components): Record<string, object> {
  const responses: Record<string, object> = {};
  const successes = describeSuccesses(route, components);
  for (const [status, success] of Object.entries(successes)) responses[status] = success;
  for (const [status, codes] of listFailureCodes(route)) {
    const failure = describeFailure(route, codes);
    const success = successes[status];
    responses[status] = success
      ? mergeResponses(success, failure)
      : components.share('responses', nameFailure(route, status, codes), failure);
  }
  return responses;
}

/** A failure of the media type of the success is the one or the other. */
function mergeResponses(success: ResponseObject, failure: ResponseObject): ResponseObject {
  const description = `${success.description}; ${failure.description}`;
  const content = { ...success.content };
  for (const [type, { schema }] of Object.entries(failure.content ?? {})) {
    const own = content[type]?.schema;
    content[type] = { schema: own ? { anyOf: [own, schema] } : schema };
  }
  return { description, content };
}

function describeSuccesses(route: Route, components: Components): Record<string, ResponseObject> {
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
            ...(!isEmpty(status, route) && { content: describeContent(route, components) }),
          },
    ]),
  );
}

/** Nothing is there to show, or to hand out yet. */
const isEmpty = (status: number, { kind }: Route): boolean =>
  status === 204 || (status === 202 && kind === 'file');

/** Kinds whose data has no envelope. */
const UNWRAPPED: ReadonlySet<Route['kind']> = new Set(['scim', 'bare', 'access', 'task']);

type Content = Record<string, { schema: object }>;

/** A JSON file is an object that its own format describes (docs/reference/formats.md). */
function describeFileContent({ path, mediaType: types }: Route): Content {
  if (types === undefined) throw new Error(`${path}: a file has a media type`);
  const json = { type: 'object', additionalProperties: true };
  const other = { type: 'string', format: 'binary' };
  return Object.fromEntries(
    [types].flat().map((type) => [type, { schema: type.endsWith('json') ? json : other }]),
  );
}

function describeContent(route: Route, components: Components): Content {
  if (route.kind === 'file') return describeFileContent(route);
  if (route.kind === 'stream') return { 'text/event-stream': { schema: { type: 'string' } } };
  const data = components.describeSchema(route.data, 'output');
  if (UNWRAPPED.has(route.kind)) return { [getMediaType(route)]: { schema: data } };
  if (route.kind === 'otlp') return { [getMediaType(route)]: { schema: data }, ...PROTOBUF };
  const extra = route.extra && components.describeMembers(route.extra, 'output').properties;
  const own = { data: route.page ? { type: 'array', items: data } : data, ...extra };
  const envelope = { $ref: `#/components/schemas/${route.page ? 'Page' : 'Success'}` };
  return {
    'application/json': {
      schema: { allOf: [envelope, { type: 'object', required: ['data'], properties: own }] },
    },
  };
}

/** The content of a message that is protobuf. */
export const PROTOBUF: Content = {
  'application/x-protobuf': { schema: { type: 'string', format: 'binary' } },
};

/** The media type of bodies and answers that are not files. */
export const getMediaType = ({ kind }: Route): string =>
  kind === 'scim' ? 'application/scim+json' : 'application/json';

/** The codes of each status; any request may have headers that are too large. */
function listFailureCodes(route: Route): Map<string, Code[]> {
  const codes: Code[] = [...listDeclaredCodes(route), 'HEADERS_TOO_LARGE'];
  return new Map(
    [...groupBy(codes, (code) => readStatus(route, code))].map(([status, each]) => [
      String(status),
      each,
    ]),
  );
}

const readStatus = ({ kind }: Route, code: Code): number =>
  kind === 'access' ? toAccessStatus(registry[code].http) : registry[code].http;

function describeFailure(route: Route, codes: readonly Code[]): ResponseObject {
  const name = FAILURES[route.kind ?? 'json'] ?? 'Failure';
  const description = codes.map((code) => `\`${code}\`: ${registry[code].meaning}`).join('; ');
  if (route.kind === 'access')
    return { description, content: { [ACCESS_FAILURE_TYPE]: { schema: CODED_TEXT } } };
  return {
    description,
    content: {
      [route.kind === 'task' ? PROBLEM_MEDIA_TYPE : getMediaType(route)]: {
        schema: { $ref: `#/components/schemas/${name}` },
      },
      ...(route.kind === 'otlp' && PROTOBUF),
    },
  };
}

const CODED_TEXT = { type: 'string', description: 'The code, a colon, and a text for humans' };

/** Schemas of failures that are not the envelope, by the kind of the route. */
const FAILURES: Readonly<Record<string, string>> = {
  scim: 'ScimError',
  otlp: 'RpcStatus',
  task: 'Problem',
};

const MOST_NAMED_CODES = 3;
const PREFIXES: Readonly<Record<string, string>> = {
  scim: 'Scim',
  otlp: 'Otlp',
  access: 'Access',
  task: 'AccessRequest',
};

/** Names a failure after its codes; a longer list has the name of the status and a digest, which no other list changes. */
function nameFailure({ kind }: Route, status: string, codes: readonly Code[]): string {
  const prefix = codes[0]?.startsWith('SCIM_') ? '' : (PREFIXES[kind ?? 'json'] ?? '');
  if (codes.length <= MOST_NAMED_CODES) return prefix + codes.map(toPascalCase).join('Or');
  const digest = createHash('sha256').update(codes.join()).digest('hex').slice(0, 4).toUpperCase();
  return `${prefix}${toPascalCase(STATUS_CODES[status] ?? status)}${digest}`;
}

/** `NOT_FOUND` and `Not Found` become `NotFound`. */
const toPascalCase = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => (word[0] ?? '').toUpperCase() + word.slice(1).toLowerCase())
    .join('');

const COUNTED: Schema = {
  type: 'integer',
  description: 'Exact up to 10,000; a lower bound beyond that',
};

const integer = { type: 'integer' };
const text = { type: 'string', description: 'For humans; may change' };
const success = { type: 'boolean', const: true };

/** The schemas of envelopes and errors, by name. */
export const ENVELOPES: Readonly<Record<string, Schema>> = {
  Success: { type: 'object', required: ['success'], properties: { success } },
  Page: {
    type: 'object',
    required: ['success', 'count', 'total', 'pagination'],
    properties: {
      success,
      count: integer,
      total: integer,
      pagination: { $ref: '#/components/schemas/Pagination' },
    },
  },
  Failure: {
    type: 'object',
    required: ['success', 'error', 'code'],
    properties: {
      success: { type: 'boolean', const: false },
      error: text,
      code: { $ref: '#/components/schemas/ErrorCode' },
      data: { $ref: '#/components/schemas/Json' },
    },
  },
  ErrorCode: { type: 'string', enum: Object.keys(registry) },
  ScimError: {
    type: 'object',
    description: 'RFC 7644, section 3.12; `code` where the plan lacks SCIM',
    required: ['schemas', 'status', 'detail'],
    properties: {
      schemas: { type: 'array', items: { type: 'string' } },
      status: { type: 'string' },
      scimType: { type: 'string' },
      detail: text,
      code: { type: 'string', enum: ['UPGRADE_REQUIRED'] },
    },
  },
  RpcStatus: {
    type: 'object',
    description: 'google.rpc.Status, in the encoding of the request',
    required: ['code', 'message'],
    properties: { code: integer, message: text },
  },
  Problem: {
    type: 'object',
    description: 'Problem details (RFC 9457); `detail` begins with the code',
    required: ['type', 'title', 'status', 'detail'],
    properties: { type: { type: 'string' }, title: text, status: integer, detail: text },
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
