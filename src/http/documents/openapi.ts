// Generates the OpenAPI document from the route declarations.
import { MAX_DEPTH, MAX_VALUES } from '@assay/json';
import type { Route } from '../declaration/define-route.ts';
import { listRoutes, type Mount } from '../router.ts';
import { type Components, createComponents } from './components.ts';
import { describeParameters } from './parameters.ts';
import { describeResponses, ENVELOPES, getMediaType, PROTOBUF } from './responses.ts';
import { deriveSdkName, deriveTag } from './sdk-names.ts';

const SECURITY: Record<Route['auth'], object[]> = {
  public: [],
  user: [{ session: [] }],
  reader: [{ session: [] }, { apiKey: [] }],
  keyOrUser: [{ session: [] }, { apiKey: [] }],
  calendar: [{ session: [] }, { feedToken: [] }],
  workspaceKey: [{ apiKey: [] }],
  anyKey: [{ apiKey: [] }],
  scim: [{ scimToken: [] }],
};

const DESCRIPTION =
  `Bodies of JSON have at most ${MAX_DEPTH} levels of nesting and ${MAX_VALUES} members and elements. ` +
  'Refused with 400: lone surrogates, NUL, the key `__proto__`, and numbers that are infinite or integers beyond 2^53 - 1.';

const INFO = {
  title: 'Assay',
  version: '1',
  summary: 'Governance back end for AI agents',
  description: DESCRIPTION,
};

/** Generates the OpenAPI 3.1 document of every mounted route. */
export function generateOpenApi(mounts: readonly Mount[]): object {
  const components = createComponents();
  for (const [name, schema] of Object.entries(ENVELOPES)) components.share('schemas', name, schema);
  const paths: Record<string, Record<string, object>> = {};
  for (const { path, route } of listRoutes(mounts)) {
    const operation = describeOperation(path, route, components);
    (paths[path.replace(/:(\w+)/g, '{$1}')] ??= {})[route.method] = operation;
  }
  return {
    openapi: '3.1.0',
    info: INFO,
    servers: [{ url: '/' }],
    tags: listTags(mounts),
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      securitySchemes: listSecuritySchemes(mounts),
      parameters: components.listShared('parameters'),
      responses: components.listShared('responses'),
      schemas: components.listShared('schemas'),
    },
  };
}

const listTags = (mounts: readonly Mount[]): object[] =>
  [...new Set(listRoutes(mounts).map(({ path }) => deriveTag(path)))]
    .sort()
    .map((name) => ({ name }));

function deriveOperationId(path: string, { method }: Route): string {
  const words = path
    .replace(/^\/api\/v1/, '')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '' && word !== 'api');
  return method + words.map((word) => (word[0] ?? '').toUpperCase() + word.slice(1)).join('');
}

/** The names of its own limits; one may limit by several keys. */
const listLimits = ({ limits }: Route): string[] | undefined =>
  limits && [...new Set(limits.map(({ name }) => name))];

function describeOperation(path: string, route: Route, components: Components): object {
  const gates = Object.entries({
    roles: route.roles,
    'system-roles': route.systemRoles,
    plan: route.plan,
    limits: listLimits(route),
    heavy: route.heavy,
    audit: route.audit?.action,
  });
  return {
    operationId: deriveOperationId(path, route),
    'x-sdk': deriveSdkName(path, route.method),
    summary: route.summary,
    tags: [deriveTag(path)],
    security: SECURITY[route.auth],
    'x-auth': route.auth,
    ...Object.fromEntries(
      gates.filter(([, value]) => value !== undefined).map(([name, value]) => [`x-${name}`, value]),
    ),
    parameters: describeParameters(path, route, components),
    ...(route.body && {
      requestBody: {
        required: true,
        content: {
          [getBodyMediaType(route)]: { schema: components.describeSchema(route.body, 'input') },
          ...(route.kind === 'otlp' && PROTOBUF),
        },
      },
    }),
    responses: describeResponses(route, components),
  };
}

function getBodyMediaType(route: Route): string {
  if (route.bodyType === 'form') return 'application/x-www-form-urlencoded';
  return route.bodyType === 'raw' && route.kind === 'file' ? 'text/plain' : getMediaType(route);
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
