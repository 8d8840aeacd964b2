// The form of every sign-in page: its fields, what went wrong, and one button.
import { Button, Stack } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { Problem } from '../../parts/states.tsx';

interface Props {
  label: string;
  mutation: { isPending: boolean; isSuccess: boolean; error: Error | null };
  onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  /** What stands below the button. */
  below?: ReactNode;
  children: ReactNode;
}

export function SignInForm({ label, mutation, onSubmit, below, children }: Props): ReactNode {
  return (
    <form onSubmit={onSubmit}>
      <Stack gap="sm">
        {children}
        {mutation.error && <Problem error={mutation.error} />}
        <Button type="submit" loading={mutation.isPending || mutation.isSuccess}>
          {label}
        </Button>
        {below}
      </Stack>
    </form>
  );
}

/** Returns what runs a mutation when its form is submitted. */
export const submitTo =
  (mutation: { mutate: () => void }) =>
  (event: FormEvent): void => {
    event.preventDefault();
    mutation.mutate();
  };
