// A button whose act is confirmed in a dialog that says what follows from it.
import { Button, type ButtonProps, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { FormDialog } from './form-dialog.tsx';

interface Props {
  label: string;
  /** The question of the dialog. */
  title: string;
  /** Button of the dialog; absent: as the button that opens it. */
  confirmLabel?: string;
  /** Its success closes the dialog. */
  mutation: { isPending: boolean; error: unknown; reset: () => void };
  onConfirm: () => Promise<unknown>;
  children: ReactNode;
  isDangerous?: boolean;
  buttonProps?: ButtonProps & { 'aria-label'?: string };
}

export function ConfirmButton({ label, title, mutation, onConfirm, ...more }: Props): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const { confirmLabel = label, children, isDangerous = false, buttonProps } = more;
  function openDialog(): void {
    mutation.reset();
    setOpen(true);
  }
  return (
    <>
      <Button
        variant="default"
        size="xs"
        {...buttonProps}
        c={isDangerous ? 'var(--assay-blocked)' : undefined}
        onClick={openDialog}
      >
        {label}
      </Button>
      <FormDialog
        isOpen={isOpen}
        title={title}
        submitLabel={confirmLabel}
        mutation={mutation}
        isDangerous={isDangerous}
        onClose={() => setOpen(false)}
        onSubmit={(event) => {
          event.preventDefault();
          // What failed is shown in the dialog.
          void onConfirm().then(
            () => setOpen(false),
            () => {},
          );
        }}
      >
        <Text size="sm" component="div">
          {children}
        </Text>
      </FormDialog>
    </>
  );
}
