// Decides who may read /metrics: holders of the token; if none is set, local callers outside production.
import type { Request } from 'express';
import type { Config } from '../../config/config.ts';
import { isSameSecret } from '../../domain/same-secret.ts';

const LOOPBACK = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);
const PROXY_HEADER = /^(forwarded|via|x-real-ip|x-forwarded-.*)$/;

export function mayReadMetrics(
  { ASSAY_METRICS_TOKEN: token, NODE_ENV: environment }: Config,
  req: Pick<Request, 'headers' | 'socket'>,
): boolean {
  if (token === undefined) return environment !== 'production' && isLocal(req);
  return isSameSecret(req.headers.authorization ?? '', `Bearer ${token}`);
}

/** Whether a request comes from this machine, and not through a proxy on it. */
function isLocal({ socket, headers }: Pick<Request, 'headers' | 'socket'>): boolean {
  const isProxied = Object.keys(headers).some((name) => PROXY_HEADER.test(name));
  return LOOPBACK.has(socket.remoteAddress ?? '') && !isProxied;
}
