// How soon a person is to look at a held decision: hours by priority, set by its workspace (docs/review-queue.md).

/** Most urgent first. */
export const REVIEW_PRIORITIES = ['critical', 'high', 'medium', 'low'] as const;
export type ReviewPriority = (typeof REVIEW_PRIORITIES)[number];

/** Hours by priority; where there are none, there is no deadline. */
export type ReviewSla = Readonly<Partial<Record<ReviewPriority, number | null>>>;

const HOUR_MS = 3_600_000;

/** When the decision must have been looked at; null: nobody said. */
export function slaDeadline(sla: ReviewSla, priority: ReviewPriority, from: Date): Date | null {
  const hours = sla[priority];
  return typeof hours === 'number' ? new Date(from.getTime() + hours * HOUR_MS) : null;
}

/** Whether nobody has decided by the deadline. */
export function isOverdue(
  { status, slaDeadline: deadline }: { status: string; slaDeadline?: Date | null },
  now: Date,
): boolean {
  return status === 'pending' && deadline instanceof Date && deadline.getTime() < now.getTime();
}
