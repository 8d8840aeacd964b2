// What people make of held decisions: the review queue and its verdicts.
import type { ReadScrubbers } from '../resources/traces/read-scrubbers.ts';
import { createReviewDecisionService } from '../resources/traces/review/review-decisions.service.ts';
import { createReviewQueueService } from '../resources/traces/review/review-queue.service.ts';
import { createReviewVerdicts } from '../resources/traces/review/review-verdicts.service.ts';
import type { Platform } from './platform.ts';

export function createReview(platform: Platform, { scrubbers }: { scrubbers: ReadScrubbers }) {
  const verdicts = createReviewVerdicts(platform);
  const queue = createReviewQueueService({ ...platform, scrubbers, verdicts });
  const decisions = createReviewDecisionService({ ...platform, scrubbers });
  return { queue, decisions, verdicts };
}
