// Whether an error leaves open how a call ended: it was cut off, or its answer was lost or cannot be read.
import { isObject } from '../json.ts';

/** Names and codes of errors after which a call may have done its work: its end was not seen. */
const UNSEEN: ReadonlySet<unknown> = new Set([
  // Ended from outside, or too late
  'AbortError',
  'TimeoutError',
  'ETIMEDOUT',
  'UND_ERR_ABORTED',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  // The connection was lost
  'ECONNRESET',
  'EPIPE',
  'UND_ERR_SOCKET',
  'ERR_STREAM_PREMATURE_CLOSE',
  // The answer cannot be read
  'SyntaxError',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
]);
/** An HTTP answer that cannot be read, in Node.js. */
const UNREADABLE = /^HPE_/;
/** What `fetch` says of a lost connection: alone in browsers, with a cause in Node.js. */
const LOST = /^(fetch failed|Failed to fetch|Load failed|NetworkError when|terminated$)/;
const CAUSES_MAX = 20;

/** Whether an error, one that it groups, or a cause of it leaves the end of a call open. */
export const isEndUnseen = (error: unknown): boolean => listCauses(error).some(leavesEndOpen);

function leavesEndOpen(error: unknown): boolean {
  if (!isObject(error)) return false;
  const { name, code, message, cause } = error;
  if (UNSEEN.has(name) || UNSEEN.has(code)) return true;
  if (typeof code === 'string' && UNREADABLE.test(code)) return true;
  return cause === undefined && name === 'TypeError' && LOST.test(String(message));
}

/** An error, those that it groups, and what caused them. */
function listCauses(error: unknown): unknown[] {
  const found: unknown[] = [error];
  for (let at = 0; at < found.length && found.length < CAUSES_MAX; at++) {
    const each = found[at];
    if (!isObject(each)) continue;
    if (Array.isArray(each.errors)) found.push(...each.errors.slice(0, CAUSES_MAX));
    if (each.cause !== undefined) found.push(each.cause);
  }
  return found;
}
