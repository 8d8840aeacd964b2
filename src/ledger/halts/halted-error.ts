// The refusal of an entry that would let an agent act while it is halted.
import type { Halt, HaltNotice } from '../../domain/halt/halt.ts';
import { AppError } from '../../errors.ts';

/** What an answer says of the halt that refuses. */
export function toHaltNotice(
  { scope, state, createdAt, sequence }: Halt,
  reason: string | null,
): HaltNotice {
  return { scope, state, since: createdAt.toISOString(), sequence, reason };
}

const SCOPE_NAMES: Readonly<Record<Halt['scope'], string>> = {
  session: 'the session',
  agent: 'the agent',
  workspace: 'the workspace',
  organization: 'the organisation',
  person: 'the person for whom it acts',
};

/** Says what is halted since when, why, and the way out. */
export function describeHalt({ scope, state, since, sequence, reason }: HaltNotice): string {
  const what = `${SCOPE_NAMES[scope]} is ${state} since ${since} (entry ${sequence})`;
  const why = reason === null ? '' : `: ${reason}`;
  return state === 'halted'
    ? `Nothing is done until an owner or admin resumes: ${what}${why}`
    : `A person must approve: ${what}${why}`;
}

/** Whether a halt refused it. */
export const isHalted = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'HALTED';

/** 403 `HALTED`, with the halt as `data.halt`. */
export function createHaltedError(notice: HaltNotice): AppError {
  return new AppError('HALTED', describeHalt(notice), { data: { halt: notice } });
}
