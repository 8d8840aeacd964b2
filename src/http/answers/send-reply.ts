// Sends what a handler returned: stripped to the declared view, in the success envelope, or as a file.
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { z } from 'zod';
import type { FileDownload, Reply, Route } from '../declaration/define-route.ts';
import { AppError } from '../../errors.ts';
import { sendFailure, sendJson } from './envelope.ts';
import { sendScim } from './scim-envelope.ts';
import { pagination, type Paged } from '../declaration/paging.ts';

const arrays = new WeakMap<Route, z.ZodType>();

function arrayOf(route: Route): z.ZodType {
  let schema = arrays.get(route);
  if (!schema) arrays.set(route, (schema = z.array(route.data)));
  return schema;
}

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
  for (const { name, value, maxAgeMs } of reply.parts.cookies ?? [])
    setCookie(res, { name, value, maxAgeMs });
  if (route.kind === 'file') return sendFile(res, reply.status, reply.data as FileDownload);
  if (route.kind === 'redirect')
    return res.redirect(reply.status, route.data.parse(reply.data) as string);
  if (route.kind === 'scim') return sendScim(res, reply.status, route.data.parse(reply.data));
  if (reply.parts.failure) {
    const { code, message } = reply.parts.failure;
    return sendFailure(res, new AppError(code, message, { data: route.data.parse(reply.data) }));
  }
  const extra = route.extra ? (route.extra.parse(reply.parts.extra ?? {}) as object) : {};
  if (!paged)
    return sendJson(res, reply.status, {
      success: true,
      data: route.data.parse(reply.data),
      ...extra,
    });
  const { items, total } = reply.data as { items: unknown[]; total: number };
  sendJson(res, reply.status, {
    success: true,
    data: arrayOf(route).parse(items),
    count: items.length,
    total,
    pagination: pagination(paged, total),
    ...extra,
  });
}

function setCookie(
  res: Response,
  { name, value, maxAgeMs }: { name: string; value: string | null; maxAgeMs: number | undefined },
): void {
  const secure = res.req.app.get('env') === 'production';
  const options = {
    httpOnly: true,
    path: '/',
    secure,
    sameSite: secure ? ('none' as const) : ('lax' as const),
  };
  if (value === null) res.clearCookie(name, options);
  else res.cookie(name, value, maxAgeMs === undefined ? options : { ...options, maxAge: maxAgeMs });
}

/** Streams a file; when its source fails the connection is destroyed, so that half a document never looks whole. */
async function sendFile(
  res: Response,
  status: number,
  { type, filename, body }: FileDownload,
): Promise<void> {
  res.status(status).setHeader('Content-Type', type);
  if (filename !== null)
    res.setHeader(
      'Content-Disposition',
      `attachment; filename="${filename.replace(/[^\w.-]/g, '_')}"`,
    );
  if (typeof body === 'string') res.end(body);
  else await pipeline(body, res);
}
