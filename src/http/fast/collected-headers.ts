// Runs a middleware once and repeats its headers, so that they can be kept: part of the 7 % of kept-headers.ts.
import type { Request, RequestHandler, Response } from 'express';
import { type AnswerHeaders, keepHeaders } from './kept-headers.ts';

/**
 * Returns a middleware that sets what `middleware` sets for a same-origin request. The headers MUST NOT depend on the
 * request. Returns `middleware` itself when it needs more of a response than its headers.
 */
export function repeatHeaders(middleware: RequestHandler): RequestHandler {
  const headers = collectHeaders(middleware);
  if (headers === null) return middleware;
  return (_req, res, next) => {
    keepHeaders(res, headers);
    next();
  };
}

/** Null: the middleware failed on a response that has headers alone, or did not call the next one at once. */
function collectHeaders(middleware: RequestHandler): AnswerHeaders | null {
  const set = new Map<string, string>();
  const res = {
    getHeader: (name: string) => set.get(name),
    setHeader: (name: string, value: string) => set.set(name, value),
    removeHeader: (name: string) => set.delete(name),
  };
  let isDone = false;
  try {
    void middleware(
      { method: 'GET', headers: {} } as Request,
      res as unknown as Response,
      (error?: unknown) => {
        isDone = error === undefined;
      },
    );
  } catch {
    return null;
  }
  return isDone ? [...set] : null;
}
