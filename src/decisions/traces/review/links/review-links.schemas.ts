// Inputs of the pages behind a link; forms of a browser, so every member is text.
import { z } from 'zod';
import { optional } from '../../../../http/declaration/optional.ts';
import { optionalText } from '../../../../http/declaration/views.ts';

export const linkParams = z.object({ token: z.string().min(1).max(64) });

/** Why the last sign-in failed. */
export const SIGN_IN_PROBLEMS = ['credentials', 'code', 'refused'] as const;
export type SignInProblem = (typeof SIGN_IN_PROBLEMS)[number];
export const linkQuery = z.object({
  problem: optional(z.enum(SIGN_IN_PROBLEMS)).describe('Why the last sign-in failed'),
});

export const linkVerdictForm = z.object({
  decision: z.enum(['approve', 'reject']),
  reason: optionalText(1000),
});

const field = z.string().max(1024);
export const linkSignInForm = z.object({
  email: optional(field.trim().toLowerCase()),
  password: optional(field),
  code: optional(z.string().max(64)).describe('The second step, after the password'),
});
