// The deadline for reviewing a held decision: hours by priority, set by its workspace (docs/guides/reviews.md).

/** Most urgent first. */
export const REVIEW_PRIORITIES = ['critical', 'high', 'medium', 'low'] as const;
export type ReviewPriority = (typeof REVIEW_PRIORITIES)[number];

/** Hours by priority; a priority without hours has no deadline. */
export type ReviewSla = Readonly<Partial<Record<ReviewPriority, number | null>>>;

const HOUR_MS = 3_600_000;

/** The deadline of the review; null: none is set. */
export function computeSlaDeadline(
  sla: ReviewSla,
  priority: ReviewPriority,
  from: Date,
): Date | null {
  const hours = sla[priority];
  return typeof hours === 'number' ? new Date(from.getTime() + hours * HOUR_MS) : null;
}

/** Whether the review is still pending after its deadline. */
export function isOverdue(
  { status, slaDeadline: deadline }: { status: string; slaDeadline?: Date | null },
  now: Date,
): boolean {
  return status === 'pending' && deadline instanceof Date && deadline.getTime() < now.getTime();
}
