// Sends a handler's reply by its declared view: in the success envelope, or as a file, redirect or SCIM resource.
import type { Response } from 'express';
import { PeriodicYield } from '../../platform/concurrency/event-loop.ts';
import type { ReplyCookie, FileDownload, Reply, Route } from '../declaration/define-route.ts';
import { AppError } from '../../errors.ts';
import { repeatRequestId } from './access-envelope.ts';
import { sendFailure, sendJson } from './envelope.ts';
import { type ExportReply, sendExportReply } from './otlp-envelope.ts';
import { sendScim } from './scim-envelope.ts';
import { sendFile } from './send-file.ts';
import { createPagination, type Paged } from '../declaration/paging.ts';

/** Name of the Express setting that says whether browsers reach the app over https. */
export const SECURE_COOKIES = 'secure cookies';

/** Items of a list that are parsed before other requests are served. */
const ITEMS_IN_TURN = 50;

interface Target {
  route: Route;
  res: Response;
  paged: Paged | undefined;
}

export async function sendReply(
  { route, res, paged }: Target,
  reply: Reply<number, unknown>,
): Promise<void> {
  for (const [name, value] of Object.entries(reply.parts.headers ?? {})) res.setHeader(name, value);
  for (const cookie of reply.parts.cookies ?? []) setCookie(res, cookie);
  switch (route.kind) {
    case 'file':
      return sendFile(res, reply.status, reply.data as FileDownload);
    case 'redirect':
      return res.redirect(reply.status, route.data.parse(reply.data) as string);
    case 'scim':
      return sendScim(res, reply.status, route.data.parse(reply.data));
    case 'otlp':
      return sendExportReply(res, reply.status, route.data.parse(reply.data) as ExportReply);
    case 'access':
    case 'task':
    case 'bare':
      return sendBare({ route, res }, reply);
    default:
      return sendEnvelope({ route, res, paged }, reply);
  }
}

/** Sends the data without an envelope. */
function sendBare(
  { route, res }: Omit<Target, 'paged'>,
  { status, data }: Reply<number, unknown>,
): void {
  if (route.kind !== 'bare') repeatRequestId(res);
  sendJson(res, status, route.data.parse(data) as object);
}

async function sendEnvelope(
  { route, res, paged }: Target,
  reply: Reply<number, unknown>,
): Promise<void> {
  const { data, parts, status } = reply;
  if (parts.failure) {
    const { code, message } = parts.failure;
    return sendFailure(res, new AppError(code, message, { data: route.data.parse(data) }));
  }
  sendJson(res, status, {
    success: true,
    ...(paged ? await listMembers(route, reply, paged) : { data: route.data.parse(data) }),
    ...parseExtraMembers(route, reply),
  });
}

/** The members of a page-based list. */
async function listMembers(
  route: Route,
  reply: Reply<number, unknown>,
  paged: Paged,
): Promise<object> {
  const { items, total } = reply.data as { items: unknown[]; total: number };
  const data: unknown[] = [];
  const yielding = new PeriodicYield(ITEMS_IN_TURN);
  for (const item of items) {
    data.push(route.data.parse(item));
    await yielding.addWork(1);
  }
  return {
    data,
    count: items.length,
    total,
    pagination: createPagination(paged, total),
  };
}

function parseExtraMembers({ extra }: Route, { parts }: Reply<number, unknown>): object {
  return extra ? extra.parse(parts.extra ?? {}) : {};
}

/**
 * Cookies must be SameSite=None, so Secure and https, to be sent with a form that another site posts. The console's is
 * sent by its own pages alone.
 */
function setCookie(res: Response, { name, value, maxAgeMs, path }: ReplyCookie): void {
  const secure = res.req.app.get(SECURE_COOKIES) as boolean;
  const sameSite = secure ? ('none' as const) : ('lax' as const);
  const scope =
    path === undefined ? { path: '/', sameSite } : { path, sameSite: 'strict' as const };
  const options = { httpOnly: true, secure, ...scope };
  if (value === null) res.clearCookie(name, options);
  else res.cookie(name, value, maxAgeMs === undefined ? options : { ...options, maxAge: maxAgeMs });
}
