// Parses bodies as strict JSON or forms. Every failure is a 4xx.
import { parseSafeItems, parseSafeJson, UnsafeJson, type Json } from '@assay/json';
import { AppError, type Code } from '../../errors.ts';

/** Bounds on forms, and so on the time that parsing takes; no form of the API comes near them. */
const MAX_MEMBERS = 100;
const MAX_SPACES = 10_000;
/** Drops a byte order mark. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A body as it was received, and the content type that its sender gave it. */
export interface SentText {
  rawBody: Buffer;
  contentType: string | undefined;
}

/**
 * Parses a JSON body; an empty body is undefined.
 * @throws AppError `UNSUPPORTED_MEDIA_TYPE` for another content type, `invalidCode` for text that is not safe JSON in UTF-8
 */
export const parseBody = (sent: SentText, invalidCode: Code): Json | undefined =>
  parseText(sent, invalidCode, parseSafeJson);

/**
 * Parses a JSON body with a list whose items are documents of their own: an unsafe item is an `UnsafeJson` in its place.
 * @throws AppError as `parseBody` does, for what stands outside of the items
 */
export const parseListBody = (sent: SentText, member: string, invalidCode: Code): unknown =>
  parseText(sent, invalidCode, (text) => parseSafeItems(text, member));

function parseText<T>(
  { rawBody, contentType }: SentText,
  invalidCode: Code,
  parse: (text: string) => T,
): T | undefined {
  if (rawBody.length === 0) return undefined;
  if (contentType !== undefined && !/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(contentType))
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Content-Type must be application/json');
  if (contentType !== undefined && /charset\s*=(?!\s*"?utf-8"?\s*(;|$))/i.test(contentType))
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'The charset must be UTF-8');
  try {
    return parse(utf8.decode(rawBody));
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
    const pairs = utf8.decode(raw).replaceAll('+', ' ').split('&');
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
