// Sends verdicts, each bound to the action that was on screen. A page that closes sends them all the same.
import { api, CONSOLE_HEADERS, readData } from '../../../api/client.ts';
import { ApiError } from '../../../api/api-error.ts';
import type { ReviewItem } from '../review-queries.ts';

export interface Verdict {
  decision: 'approve' | 'reject';
  reason?: string;
  /** With an approval: a merge patch of the action, or its new text. */
  edits?: Record<string, unknown> | string;
}

/** Posts with `keepalive`, so that it arrives although the page is closed. @throws ApiError */
async function post(path: string, body: object): Promise<unknown> {
  const response = await fetch(`/api/v1/review-queue/${path}`, {
    method: 'POST',
    keepalive: true,
    headers: { ...CONSOLE_HEADERS, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch((cause: unknown) => {
    throw ApiError.fromNetwork(cause);
  });
  const answer: unknown = await response.json().catch(() => null);
  if (!response.ok) throw ApiError.fromAnswer(response, answer);
  return answer;
}

/** What the service takes at once. */
export const MOST_AT_ONCE = 100;

/** Returns the ids of the items that were decided; the others had been, or have another action by now. @throws ApiError */
export async function sendVerdict(
  items: readonly ReviewItem[],
  verdict: Verdict,
): Promise<readonly string[]> {
  const [only] = items;
  if (only && items.length === 1) {
    const { _id, actionDigest } = only;
    await post(`${_id}/decision`, { ...verdict, ...(actionDigest !== null && { actionDigest }) });
    return [_id];
  }
  const actionDigests = Object.fromEntries(
    items.flatMap(({ _id, actionDigest }) => (actionDigest === null ? [] : [[_id, actionDigest]])),
  );
  const ids = items.map(({ _id }) => _id);
  const answer = (await post('bulk-decision', { ids, ...verdict, actionDigests })) as {
    data: { ids: string[] };
  };
  return answer.data.ids;
}

/** What became of an item; null: it cannot be read. */
export const readOutcome = (id: string): Promise<ReviewItem | null> =>
  readData(api.GET('/api/v1/review-queue/{id}', { params: { path: { id } } })).catch(() => null);
