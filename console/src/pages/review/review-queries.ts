// The review queue as the API lists it, in the order in which a reviewer takes it.
import { queryOptions } from '@tanstack/react-query';
import { api, readEnvelope } from '../../api/client.ts';
import type { components } from '../../api/schema.gen.d.ts';

export type ReviewItem = components['schemas']['ListedReviewItem'];
export type ReviewStatus = ReviewItem['status'];

export const createReviewQuery = (status: ReviewStatus) =>
  queryOptions({
    queryKey: ['review', status],
    queryFn: ({ signal }) =>
      readEnvelope(api.GET('/api/v1/review-queue', { params: { query: { status } }, signal })),
    refetchInterval: 10_000,
  });

const PRIORITIES: readonly ReviewItem['priority'][] = ['critical', 'high', 'medium', 'low'];

/** What is due first, then what matters more, then what came first. */
export function sortByDeadline(items: readonly ReviewItem[]): ReviewItem[] {
  const toTime = (at: string | null): number => (at === null ? Infinity : new Date(at).getTime());
  const rank = ({ priority }: ReviewItem): number => PRIORITIES.indexOf(priority);
  return items.toSorted((a, b) => {
    const [due, otherDue] = [toTime(a.slaDeadline), toTime(b.slaDeadline)];
    if (due !== otherDue) return due - otherDue;
    return rank(a) - rank(b) || toTime(a.createdAt) - toTime(b.createdAt);
  });
}

/** The action of an item: the API gives canonical JSON where it is no text. */
export function parseAction({ action }: ReviewItem): unknown {
  if (action === null || !/^[[{]/.test(action)) return action;
  try {
    return JSON.parse(action) as unknown;
  } catch {
    return action;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A member of what an item holds as JSON; null: none. */
export const readMember = (value: unknown, name: string): unknown =>
  isObject(value) ? (value[name] ?? null) : null;
