// Describes the parameters of a route; those that many routes have are shared.
import type { Route } from '../declaration/define-route.ts';
import type { Components, Schema } from './components.ts';

/** Describes the parameters of a route in path, query and headers. */
export function describeParameters(path: string, route: Route, components: Components): object[] {
  return [
    ...describePathParameters(path, components),
    ...describeQueryParameters(route, components),
    ...describeHeaderParameters(route, components),
  ];
}

function describePathParameters(path: string, components: Components): object[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) =>
    components.share('parameters', `${capitalize(name)}InPath`, {
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    }),
  );
}

const capitalize = (name: string): string => (name[0] ?? '').toUpperCase() + name.slice(1);

function describeQueryParameters({ query, page }: Route, components: Components): object[] {
  if (!query) return [];
  const { properties, required } = components.describeMembers(query, 'input');
  const paging = page && { page: 'Page', limit: `PageSize${page.limit}UpTo${page.max}` };
  return Object.entries(properties).map(([name, { description, ...rest }]) => {
    const parameter = {
      name,
      in: 'query',
      required: required.includes(name),
      ...(description ? { description } : {}),
      schema: toQuerySchema(rest),
    };
    const shared = paging?.[name as keyof typeof paging];
    return shared === undefined ? parameter : components.share('parameters', shared, parameter);
  });
}

/** Removes null, which a query cannot contain, and writes a default as a query does. */
function toQuerySchema({ anyOf, ...rest }: Schema): Schema {
  const left = Array.isArray(anyOf)
    ? (anyOf as Schema[]).filter(({ type }) => type !== 'null')
    : [{}];
  const { default: fallback, ...schema }: Schema =
    left.length === 1 ? { ...left[0], ...rest } : { ...rest, anyOf: left };
  if (fallback === undefined || fallback === null) return schema;
  const isText = schema.type === 'string';
  return { ...schema, default: isText ? String(fallback as string | boolean) : fallback };
}

function describeHeaderParameters(
  { auth, replay, repeatable, readLastChange }: Route,
  components: Components,
): object[] {
  const shareHeader = (component: string, name: string, description: string): object =>
    components.share('parameters', component, {
      name,
      in: 'header',
      required: false,
      description,
      schema: { type: 'string' },
    });
  const workspace = (): object =>
    shareHeader(
      'Workspace',
      'x-workspace-id',
      'Id of the workspace; default: the default workspace, or all of them for lists',
    );
  const key = (): object =>
    shareHeader(
      'IdempotencyKey',
      'Idempotency-Key',
      'A repeated request with the same key gets the response of the first',
    );
  const match = (): object =>
    shareHeader(
      'IfMatch',
      'If-Match',
      'The `updatedAt` that was read, in quotes: 412 `CHANGED_SINCE` when it was changed since',
    );
  return [
    ...(auth === 'public' ? [] : [workspace()]),
    ...(replay || repeatable ? [key()] : []),
    ...(readLastChange ? [match()] : []),
  ];
}
