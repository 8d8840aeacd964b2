// Sends one step of a sign-in: its answer is a session, or the token of the second step.
import { useMutation } from '@tanstack/react-query';
import { ApiError } from '../../api/api-error.ts';
import { completeSignIn } from './complete-sign-in.ts';

interface Options<I> {
  send: (input: I) => Promise<{ token: string } | { tempToken: string }>;
  /** Where the person wanted to go. */
  next?: string | undefined;
  /** Absent: this is the last step. */
  onSecondStep?: (tempToken: string) => void;
  /** A form that shows the messages of its fields. */
  form?: { setErrors: (errors: Record<string, string>) => void };
}

export function useSignIn<I = void>({ send, next, onSecondStep, form }: Options<I>) {
  return useMutation<void, Error, I>({
    meta: { isSignIn: true },
    async mutationFn(input) {
      const made = await send(input);
      if ('token' in made) await completeSignIn(made.token, next);
      else onSecondStep?.(made.tempToken);
    },
    onError: (error) => {
      if (error instanceof ApiError) form?.setErrors(error.fieldErrors);
    },
  });
}
