// A handler's input, parsed by the route's own schemas.
import type { Request } from 'express';
import { z } from 'zod';
import { AppError, type Code } from '../../errors.ts';
import { parseBody, parseForm } from './body.ts';
import type { RequestMeta, Route } from '../declaration/define-route.ts';
import { pageQuery, type Paged } from '../declaration/paging.ts';
import type { Caller } from '../../domain/identity/tenant.ts';

const querySchemas = new WeakMap<Route, z.ZodType>();

/** The query schema of a route: a paged one has `page` and `limit` besides its own members. */
export function querySchema(route: Route): z.ZodType | undefined {
  if (!route.page) return route.query;
  let schema = querySchemas.get(route);
  if (!schema) {
    const own = route.query instanceof z.ZodObject ? route.query : z.object({});
    querySchemas.set(route, (schema = own.extend(pageQuery(route.page))));
  }
  return schema;
}

/** @throws AppError with the first problems as text and all of them as `data.issues` */
function check<T>(schema: z.ZodType<T>, value: unknown, code: Code): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((issue) => ({
    path: issue.path.join('.'),
    message: issue.message,
  }));
  throw new AppError(
    code,
    issues
      .slice(0, 3)
      .map(({ path, message }) => (path ? `${path}: ${message}` : message))
      .join('; '),
    { data: { issues } },
  );
}

export interface Parsed {
  input: object;
  paged: Paged | undefined;
}

/** Builds the input of `route.invoke`. A path id that cannot be one is an unknown record: `NOT_FOUND`. */
export function parseInputs(
  route: Route,
  req: Request,
  context: { meta: RequestMeta; caller: Caller | null },
): Parsed {
  const invalid = route.invalidCode ?? 'VALIDATION_ERROR';
  const params = parseParams(route, req);
  const schema = querySchema(route);
  const given = req.query as Record<string, unknown>;
  if (Object.values(given).some((value) => typeof value === 'string' && value.includes('\0')))
    throw new AppError('VALIDATION_ERROR', 'NUL in the query');
  const query = schema && check(schema, given, 'VALIDATION_ERROR');
  const parse = route.bodyType === 'form' ? parseForm : parseBody;
  const malformed = route.kind === 'scim' ? 'SCIM_INVALID_SYNTAX' : invalid;
  const sent = route.body && parse(context.meta.rawBody, req.headers['content-type'], malformed);
  const body = route.body && check(route.body, sent === undefined ? {} : sent, invalid);
  const paged = route.page && (query as Paged);
  const page = paged && { skip: (paged.page - 1) * paged.limit, limit: paged.limit };
  const { tenant, user, key } = context.caller ?? {};
  return { input: { tenant, user, key, params, query, body, meta: context.meta, page }, paged };
}

function parseParams(route: Route, req: Request): unknown {
  if (!route.params) return undefined;
  const parsed = route.params.safeParse(req.params);
  if (!parsed.success) throw new AppError('NOT_FOUND');
  return parsed.data;
}
