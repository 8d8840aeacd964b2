// Progress of the three-step onboarding wizard (document 1, sections 2 and 4.3).
import { z } from 'zod';
import { optional } from '../../../http/declaration/optional.ts';

const MAX_ANSWERS = 50;

/** A flat record, so that it stays small: what belongs to the agent is set on the agent. */
const answers = z
  .record(
    z.string().regex(/^[A-Za-z]\w{0,63}$/, 'give letters, digits and underscores'),
    z.union([z.string().max(2000), z.number(), z.boolean(), z.null()]),
  )
  .refine(
    (given) => Object.keys(given).length <= MAX_ANSWERS,
    `give at most ${MAX_ANSWERS} members`,
  );

export const onboardingProgress = z.object({
  currentStep: z.int().min(1).max(3),
  data: optional(answers).describe('What was entered so far; left out, it stays as it is'),
});
