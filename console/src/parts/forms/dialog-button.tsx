// A button whose dialog holds a form: it opens empty, and its success closes it.
import { Button, type ButtonProps } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { type ReactNode, useState } from 'react';
import { Icon } from '../icons.tsx';
import type { Watched } from './changed-notice.tsx';
import { FormDialog } from './form-dialog.tsx';

interface Props<V> {
  label: string;
  title: string;
  /** What the button of the dialog does, such as `Make it`. */
  submitLabel: string;
  form: Pick<UseFormReturnType<V>, 'onSubmit' | 'reset'> & Partial<Watched>;
  mutation: {
    isPending: boolean;
    error: unknown;
    reset: () => void;
    mutateAsync: (values: V) => Promise<unknown>;
  };
  children: ReactNode;
  isDangerous?: boolean;
  buttonProps?: ButtonProps & { 'aria-label'?: string };
}

export function DialogButton<V>({
  label,
  form,
  mutation,
  buttonProps,
  ...dialog
}: Props<V>): ReactNode {
  const [isOpen, setOpen] = useState(false);
  function openDialog(): void {
    form.reset();
    mutation.reset();
    setOpen(true);
  }
  const close = (): void => setOpen(false);
  return (
    <>
      <Button variant="default" size="xs" {...buttonProps} onClick={openDialog}>
        {label}
      </Button>
      <FormDialog
        {...dialog}
        isOpen={isOpen}
        mutation={mutation}
        onClose={close}
        {...(isWatched(form) && { form })}
        // What failed is shown in the dialog.
        onSubmit={form.onSubmit(
          (values) => void mutation.mutateAsync(values).then(close, () => {}),
        )}
      />
    </>
  );
}

const isWatched = (form: Partial<Watched>): form is Watched => form.changes !== undefined;

/** How the button looks that begins the main work of a page. */
export const PRIMARY: ButtonProps = {
  variant: 'filled',
  leftSection: <Icon name="plus" size={14} />,
};
