// Says which verdicts did not count, and of each why.
import { notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';
import { ApiError, describeRemedy } from '../../../api/api-error.ts';
import { describeAction } from '../../../parts/decision-text.ts';
import {
  describeLeft,
  describeLimit,
  type LimitNotice,
  readRefusal,
} from '../../../parts/limits/limit-words.ts';
import { markInvisible } from '../../../parts/text.tsx';
import { formatCount } from '../../../parts/words.ts';
import { parseAction, type ReviewItem } from '../review-queries.ts';

export interface Undecided {
  item: ReviewItem;
  /** Absent: the service did not say. */
  error?: unknown;
  /** What became of it cannot be read. */
  isUncertain?: boolean;
}

const PASSED_OVER = 'Decided by another person first, or its action has changed. Look at it again.';
/** The item has changed since it was on screen. */
const CHANGED: readonly string[] = ['INVALID_OPERATION', 'REVIEW_ENDED', 'NOT_FOUND'];

function explain({ error, isUncertain = false }: Undecided): string {
  if (error === undefined) return PASSED_OVER;
  const message = describeFailure(error);
  const requestId = error instanceof ApiError ? error.requestId : null;
  const doubt = isUncertain ? ' Whether it counts cannot be said yet: look at it again.' : '';
  const request = requestId === null ? '' : ` (request ${requestId})`;
  return `${message.replace(/\.$/, '')}. ${describeNext(error)}${doubt}${request}`;
}

function describeNext(error: unknown): string {
  if (!(error instanceof ApiError)) return describeRemedy(error);
  if (CHANGED.includes(error.code)) return 'Look at it again.';
  return error.data?.['selfReview'] === undefined ? describeRemedy(error) : 'It waits for them.';
}

/** Beyond a limit it says what is left, and when there is more. */
function describeFailure(error: unknown): string {
  const limits = readRefusal(error);
  if (limits) return limits.map(describeRefusal).join(' ');
  return error instanceof Error ? error.message : String(error);
}

const describeRefusal = (limit: LimitNotice): string =>
  `It would pass a limit: ${markInvisible(describeLimit(limit))}. ${describeLeft(limit)}.`;

/** Decisions that are named in a note. */
const NAMED = 3;
const NAME_MAX = 60;

/** As it stands in the list: by its action. */
function formatItem(item: ReviewItem): string {
  const text = markInvisible(describeAction(parseAction(item))).replaceAll(/\s+/g, ' ');
  return text.length > NAME_MAX ? `${text.slice(0, NAME_MAX)}…` : text;
}

function formatItems(items: readonly ReviewItem[]): string {
  const more = items.length - NAMED;
  return [...items.slice(0, NAMED).map(formatItem), ...(more > 0 ? [`${more} more`] : [])].join(
    '; ',
  );
}

/** What has the same reason stands together. */
function groupByReason(undecided: readonly Undecided[]): ReadonlyMap<string, ReviewItem[]> {
  const groups = new Map<string, ReviewItem[]>();
  for (const one of undecided) {
    const reason = explain(one);
    groups.set(reason, [...(groups.get(reason) ?? []), one.item]);
  }
  return groups;
}

const Reasons = ({ undecided }: { undecided: readonly Undecided[] }): ReactNode =>
  [...groupByReason(undecided)].map(([reason, items]) => (
    <div key={reason} className="stored-text">
      <b>{formatItems(items)}</b>: {reason}
    </div>
  ));

export function reportUndecided(undecided: readonly Undecided[]): void {
  const [first] = undecided;
  if (!first) return;
  const { agentId, agentIdStr } = first.item;
  const isOne = undecided.length === 1;
  const what = isOne ? (agentId?.name ?? agentIdStr) : formatCount(undecided.length, 'decision');
  notifications.show({
    color: 'red',
    title: `Not decided: ${markInvisible(what)}`,
    message: isOne ? explain(first) : <Reasons undecided={undecided} />,
    autoClose: false,
    closeButtonProps: { 'aria-label': 'Close' },
  });
}
