// Sends verdicts, each bound to the action that was on screen. A page that closes sends them all the same.
import { createHeaders } from '../../../api/client.ts';
import { ApiError } from '../../../api/api-error.ts';
import type { components } from '../../../api/schema.gen.d.ts';
import { signApproval } from '../../../api/passkeys.ts';
import { readReviewItem, type ReviewItem } from '../review-queries.ts';

export interface Verdict {
  decision: 'approve' | 'reject';
  reason?: string;
  /** With an approval: a merge patch of the action, or its new text. */
  edits?: Record<string, unknown> | string;
  /** With an approval of one decision: the agent may do it again. */
  grant?: GrantTerms;
}

export type GrantTerms = components['schemas']['GrantTerms'];

/** Posts with `keepalive`, so that it arrives although the page is closed. @throws ApiError */
async function post(path: string, body: object): Promise<unknown> {
  const response = await fetch(`/api/v1/review-queue/${path}`, {
    method: 'POST',
    keepalive: true,
    headers: { ...createHeaders(), 'content-type': 'application/json' },
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

/** What became of a verdict on some items. */
export interface Sent {
  /** The ids of those that were decided, or that others have to approve as well. */
  ids: ReadonlySet<string>;
  /** Why each of the others was not, by its id. */
  reasons: ReadonlyMap<string, ApiError>;
}

type BulkReceipt = components['schemas']['BulkVerdictReceipt'];

/** A policy wants the approval signed: the browser asks for it at once. */
export const mustSign = ({ approvals }: ReviewItem, { decision }: Verdict): boolean =>
  decision === 'approve' && approvals?.signed === true;

/** @throws ApiError where none was decided */
export async function sendVerdict(items: readonly ReviewItem[], verdict: Verdict): Promise<Sent> {
  const [only] = items;
  if (only && items.length === 1) {
    const { _id, actionDigest } = only;
    const signature = mustSign(only, verdict) && (await signApproval(_id, verdict.edits));
    await post(`${_id}/decision`, {
      ...verdict,
      ...(actionDigest !== null && { actionDigest }),
      ...(signature && { signature }),
    });
    return { ids: new Set([_id]), reasons: new Map() };
  }
  const actionDigests = Object.fromEntries(
    items.flatMap(({ _id, actionDigest }) => (actionDigest === null ? [] : [[_id, actionDigest]])),
  );
  const ids = items.map(({ _id }) => _id);
  const answer = await post('bulk-decision', { ids, ...verdict, actionDigests });
  const { ids: decided, voted = [], undecided = [] } = (answer as { data: BulkReceipt }).data;
  return {
    ids: new Set([...decided, ...voted]),
    reasons: new Map(undecided.map((one) => [one.id, toError(one)])),
  };
}

/** The error that the item's own verdict would be answered. */
const toError = ({ code, message, data }: NonNullable<BulkReceipt['undecided']>[number]) =>
  new ApiError(409, null, { code, error: message, data: data as Record<string, unknown> });

/** What became of an item; null: it cannot be read. */
export const readOutcome = (id: string): Promise<ReviewItem | null> =>
  readReviewItem(id).catch(() => null);
