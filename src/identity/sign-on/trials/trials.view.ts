// The view of a trial: its result, without the settings that were tried.
import type { TrialDocument } from './trials.model.ts';

export function toTrialView({ _id: id, provider, result, createdAt, expiresAt }: TrialDocument) {
  const state = result ? ('ended' as const) : ('waiting' as const);
  const shown = result && { ...result, wouldSignIn: result.problems.length === 0 };
  return { id, provider, state, createdAt, expiresAt, result: shown };
}

export type TrialView = ReturnType<typeof toTrialView>;
