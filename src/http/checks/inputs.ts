// Parses a handler's input by the schemas that its route declares.
import type { Request } from 'express';
import { z } from 'zod';
import type { Json } from '@assay/json';
import { AppError, type Code, limitIssues } from '../../errors.ts';
import { checkInput } from '../../platform/inputs/check-input.ts';
import type { Platform } from '../../platform/platform.ts';
import { parseBody, parseForm, parseListBody } from './parse-body.ts';
import type { RequestMeta, Route } from '../declaration/define-route.ts';
import type { Paged } from '../declaration/paging.ts';
import type { Caller } from '../../domain/identity/tenant.ts';

export interface Parsed {
  input: object;
  paged: Paged | undefined;
}

interface InputContext {
  meta: RequestMeta;
  caller: Caller | null;
  platform: Platform;
}

/** Builds a handler's input. @throws AppError `NOT_FOUND` for a malformed id in the path; the route's `invalidCode` */
export async function parseInputs(
  route: Route,
  req: Request,
  context: InputContext,
): Promise<Parsed> {
  const { meta, caller, platform } = context;
  const { tenant, user, key } = caller ?? {};
  const query = parseQuery(route, meta.rawQuery === '' ? {} : req.query);
  const params = parseParams(route, req);
  const ctx = { tenant, user, key, platform };
  const body = isParsedInThread(route, meta)
    ? await parseLargeBody(route, meta, ctx)
    : parseSmallBody(route, meta);
  const paged = route.page && (query as Paged);
  const page = paged && { skip: (paged.page - 1) * paged.limit, limit: paged.limit };
  return { input: { tenant, user, key, ctx, params, query, body, meta, page }, paged };
}

/** Bytes above which a body is parsed in a thread unless its route says otherwise: parsing takes milliseconds from here. */
const LARGE_BODY = 100 * 1024;

/** Whether the body does not occupy the event loop. */
function isParsedInThread({ parseLarge, largeBody }: Route, { rawBody }: RequestMeta): boolean {
  return parseLarge !== undefined && rawBody.length > (largeBody ?? LARGE_BODY);
}

async function parseLargeBody(route: Route, meta: RequestMeta, ctx: object): Promise<unknown> {
  const parsed = await route.parseLarge?.({ ctx, meta });
  meta.sent = parsed?.sent;
  if (parsed?.body instanceof AppError) throw parsed.body;
  return parsed?.body;
}

function parseSmallBody(route: Route, meta: RequestMeta): unknown {
  if (!route.body || route.bodyType === 'raw') return undefined;
  if (route.documents !== undefined) return parseDocuments(route, meta);
  meta.sent = parseSentBody(route, meta);
  return checkInput(route.body, replaceAbsentBody(meta.sent), createCodeLookup(route));
}

function parseDocuments(route: Route, { rawBody, headers }: RequestMeta): unknown {
  const sent = { rawBody, contentType: headers['content-type'] as string | undefined };
  const parsed = parseListBody(sent, route.documents ?? '', getInvalidCode(route));
  return checkInput(route.body as z.ZodType, parsed ?? {}, createCodeLookup(route));
}

function parseParams(route: Route, req: Request): unknown {
  if (!route.params) return undefined;
  const parsed = route.params.safeParse(req.params);
  if (!parsed.success) throw new AppError('NOT_FOUND');
  return parsed.data;
}

/** Parses the query. `query`: Express's getter, which parses at each access. */
function parseQuery(route: Route, query: Request['query']): unknown {
  if (!route.openQuery && route.kind !== 'scim') refuseUnknown(route.query, Object.keys(query));
  const values = Object.values(query);
  if (values.some((value) => typeof value === 'string' && value.includes('\0')))
    throw new AppError('VALIDATION_ERROR', 'The query contains a NUL character');
  return route.query && checkInput(route.query, query, () => 'VALIDATION_ERROR');
}

/** Refuses unknown query members: a misspelt filter must not return unfiltered data. */
function refuseUnknown(schema: Route['query'], names: readonly string[]): void {
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const path = names.find((name) => !known.includes(name));
  if (path === undefined) return;
  const message =
    known.length > 0
      ? `no such query member; known are: ${known.join(', ')}`
      : 'this operation takes no query';
  const data = limitIssues([{ path, message }]);
  const [issue] = data.issues;
  throw new AppError('VALIDATION_ERROR', `${issue?.path}: ${issue?.message}`, { data });
}

/** Replaces a missing body by an empty object, so that the schema names the missing members. */
const replaceAbsentBody = (sent: Json | undefined): Json => (sent === undefined ? {} : sent);

function createCodeLookup(route: Route): (member: string) => Code {
  const own = new Map(Object.entries(route.memberCodes ?? {}));
  return (member) => own.get(member) ?? getInvalidCode(route);
}

const getInvalidCode = ({ invalidCode = 'VALIDATION_ERROR' }: Route): Code => invalidCode;

function parseSentBody(route: Route, { rawBody, headers }: RequestMeta): Json | undefined {
  const contentType = headers['content-type'] as string | undefined;
  const malformedCode = route.kind === 'scim' ? 'SCIM_INVALID_SYNTAX' : getInvalidCode(route);
  if (route.bodyType === 'form') return parseForm(rawBody, contentType, malformedCode);
  return parseBody({ rawBody, contentType }, malformedCode);
}
