// A change of something stored: what it touches is read again, and a note says that it is done.
import { notifications } from '@mantine/notifications';
import { useMutation, type UseMutationResult, useQueryClient } from '@tanstack/react-query';
import { ApiError } from '../../api/api-error.ts';

interface Options<I, O> {
  change: (input: I) => Promise<O>;
  /** First members of the keys of the queries that are read again. */
  refresh?: readonly string[];
  /** What the note says; absent: the page shows it by itself. */
  note?: string;
  onDone?: (outcome: O, input: I) => void;
  /** A form that shows the messages of its fields; what was saved is no change any more. */
  form?: {
    setErrors: (errors: Record<string, string>) => void;
    resetDirty: (values?: never) => void;
  };
}

export type Change<I, O> = UseMutationResult<O, Error, I>;

export function useChange<I = void, O = unknown>({
  change,
  refresh = [],
  note,
  onDone,
  form,
}: Options<I, O>): Change<I, O> {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: change,
    async onSuccess(outcome, input) {
      form?.resetDirty(input as never);
      await Promise.all(refresh.map((root) => queries.invalidateQueries({ queryKey: [root] })));
      if (note !== undefined) showNote(note);
      onDone?.(outcome, input);
    },
    async onError(error) {
      if (!(error instanceof ApiError)) return;
      form?.setErrors(error.fieldErrors);
      if (error.code === 'CHANGED_SINCE')
        await Promise.all(refresh.map((root) => queries.invalidateQueries({ queryKey: [root] })));
    },
  });
}

/** A short note in the corner. */
export function showNote(message: string): void {
  notifications.show({ message, closeButtonProps: { 'aria-label': 'Close' } });
}
