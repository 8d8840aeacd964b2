// Reads request bodies of bounded size and parses strict JSON or forms. Every failure is a 4xx.
import express, { type Request, type Response } from 'express';
import { parseSafeJsonInParts, UnsafeJson } from '../../domain/record/safe-json.ts';
import { atOnce, type Parts } from '../../domain/others-turn.ts';
import type { Json } from '../../domain/record/json.ts';
import { AppError, type Code } from '../../errors.ts';
import { decodeUtf8 } from './utf8.ts';

/** Bounds on forms, and so on the time that parsing takes; no form of the API comes near them. */
const MAX_MEMBERS = 100;
const MAX_SPACES = 10_000;
const readers = new Map<number, ReturnType<typeof express.raw>>();
const EMPTY = Buffer.alloc(0);

function getBodyReader(limit: number): ReturnType<typeof express.raw> {
  let reader = readers.get(limit);
  if (!reader) readers.set(limit, (reader = express.raw({ type: () => true, limit })));
  return reader;
}

/**
 * Reads the body's bytes after content decoding.
 * @throws AppError `PAYLOAD_TOO_LARGE`, `UNSUPPORTED_MEDIA_TYPE`, or `VALIDATION_ERROR` when the transfer broke off
 */
export async function readBody(req: Request, res: Response, limit: number): Promise<Buffer> {
  return isFullyBuffered(req, limit)
    ? ((req.read() as Buffer | null) ?? EMPTY)
    : receiveBody(req, res, limit);
}

/** Whether the whole body is buffered and not encoded: a synchronous read saves 10 us (row ingest/R1). */
function isFullyBuffered({ complete, readableLength, headers }: Request, limit: number): boolean {
  return complete && readableLength <= limit && headers['content-encoding'] === undefined;
}

async function receiveBody(req: Request, res: Response, limit: number): Promise<Buffer> {
  await new Promise<void>((resolve, reject) =>
    getBodyReader(limit)(req, res, (error?: unknown) =>
      error === undefined ? resolve() : reject(readError(error)),
    ),
  );
  return Buffer.isBuffer(req.body) ? req.body : EMPTY;
}

/** Maps the status of body-parser's errors; any other decoding error is a malformed body. */
function readError(cause: unknown): AppError {
  const { status } = cause as { status?: number };
  if (status === 413) return new AppError('PAYLOAD_TOO_LARGE', undefined, { cause });
  if (status === 415) return new AppError('UNSUPPORTED_MEDIA_TYPE', undefined, { cause });
  return new AppError('VALIDATION_ERROR', 'The request body could not be read', { cause });
}

/**
 * Parses a JSON body in steps; an empty body is undefined.
 * @throws AppError `UNSUPPORTED_MEDIA_TYPE` for another content type, `invalidCode` for text that is not safe JSON in UTF-8
 */
export function* parseBody(
  raw: Buffer,
  contentType: string | undefined,
  invalidCode: Code,
): Parts<Json | undefined> {
  if (raw.length === 0) return undefined;
  if (contentType !== undefined && !/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(contentType))
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Content-Type must be application/json');
  if (contentType !== undefined && /charset\s*=(?!\s*"?utf-8"?\s*(;|$))/i.test(contentType))
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'The charset must be UTF-8');
  try {
    const text = yield* decodeUtf8(raw);
    yield;
    return yield* parseSafeJsonInParts(text);
  } catch (error) {
    const reason =
      error instanceof UnsafeJson
        ? `${error.path || '/'}: ${error.reason}`
        : 'not valid JSON in UTF-8';
    throw new AppError(invalidCode, `Invalid request body: ${reason}`, { cause: error });
  }
}

/**
 * Parses an `application/x-www-form-urlencoded` body. A repeated member is ambiguous and refused.
 * @throws AppError `UNSUPPORTED_MEDIA_TYPE` for another content type, `invalidCode` for a malformed form, a repeated
 * member or NUL
 */
export function parseForm(
  raw: Buffer,
  contentType: string | undefined,
  invalidCode: Code,
): Json | undefined {
  if (raw.length === 0) return undefined;
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(contentType ?? ''))
    throw new AppError(
      'UNSUPPORTED_MEDIA_TYPE',
      'Content-Type must be application/x-www-form-urlencoded',
    );
  const members = parseFormMembers(raw);
  if (!members || members.some(([name, value]) => name === '__proto__' || value.includes('\0')))
    throw new AppError(invalidCode, 'Invalid form body');
  if (new Set(members.map(([name]) => name)).size < members.length)
    throw new AppError(invalidCode, 'Invalid form body: a member is repeated');
  return Object.fromEntries(members);
}

/** Parses the members; null when it is no form. Takes linear time, which `URLSearchParams` does not. */
function parseFormMembers(raw: Buffer): [name: string, value: string][] | null {
  if (hasMoreThan(raw, '&', MAX_MEMBERS) || hasMoreThan(raw, '+', MAX_SPACES)) return null;
  try {
    const pairs = atOnce(decodeUtf8(raw)).replaceAll('+', ' ').split('&');
    return pairs.map((pair) => {
      const end = pair.includes('=') ? pair.indexOf('=') : pair.length;
      return [decodeURIComponent(pair.slice(0, end)), decodeURIComponent(pair.slice(end + 1))];
    });
  } catch {
    return null;
  }
}

/** Whether a character occurs more than `max` times. */
function hasMoreThan(bytes: Buffer, character: string, max: number): boolean {
  let count = 0;
  for (let at = bytes.indexOf(character); at !== -1; at = bytes.indexOf(character, at + 1))
    if (++count > max) return true;
  return false;
}
