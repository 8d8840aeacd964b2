// Says which verdicts did not count, and why.
import { notifications } from '@mantine/notifications';
import { ApiError, describeRemedy } from '../../../api/api-error.ts';
import {
  describeLeft,
  describeLimit,
  type LimitNotice,
  readRefusal,
} from '../../../parts/limits/limit-words.ts';
import { markInvisible } from '../../../parts/text.tsx';
import type { ReviewItem } from '../review-queries.ts';

export interface Undecided {
  item: ReviewItem;
  /** Absent: it was decided before, or has another action by now. */
  error?: unknown;
  /** What became of it cannot be read. */
  isUncertain?: boolean;
}

const PASSED_OVER =
  'Decided by another person first, its action has changed, or a limit is reached. Look at it again.';

function explain({ error, isUncertain = false }: Undecided): string {
  if (error === undefined) return PASSED_OVER;
  const message = describeFailure(error);
  const requestId = error instanceof ApiError ? error.requestId : null;
  const doubt = isUncertain ? ' Whether it counts cannot be said yet: look at it again.' : '';
  const request = requestId === null ? '' : ` (request ${requestId})`;
  return `${message.replace(/\.$/, '')}. ${describeRemedy(error)}${doubt}${request}`;
}

/** Beyond a limit it says what is left, and when there is more. */
function describeFailure(error: unknown): string {
  const limits = readRefusal(error);
  if (limits) return limits.map(describeRefusal).join(' ');
  return error instanceof Error ? error.message : String(error);
}

const describeRefusal = (limit: LimitNotice): string =>
  `It would pass a limit: ${markInvisible(describeLimit(limit))}. ${describeLeft(limit)}.`;

export function reportUndecided(undecided: readonly Undecided[]): void {
  const [first] = undecided;
  if (!first) return;
  const { agentId, agentIdStr } = first.item;
  const what =
    undecided.length === 1 ? (agentId?.name ?? agentIdStr) : `${undecided.length} decisions`;
  notifications.show({
    color: 'red',
    title: `Not decided: ${what}`,
    message: explain(first),
    autoClose: false,
    closeButtonProps: { 'aria-label': 'Close' },
  });
}
