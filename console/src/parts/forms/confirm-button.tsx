// An act is confirmed in a dialog that says what follows from it: from a button, or from a switch or list.
import { Button, type ButtonProps, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { FormDialog } from './form-dialog.tsx';

interface Question {
  /** The question of the dialog. */
  title: string;
  /** Its success closes the dialog. */
  mutation: { isPending: boolean; error: unknown; reset: () => void };
  onConfirm: () => Promise<unknown>;
  children: ReactNode;
  isDangerous?: boolean;
}

interface Props extends Question {
  label: string;
  /** Button of the dialog; absent: as the button that opens it. */
  confirmLabel?: string;
  buttonProps?: ButtonProps & { 'aria-label'?: string };
}

export function ConfirmButton({ label, confirmLabel = label, ...more }: Props): ReactNode {
  const { buttonProps, ...question } = more;
  const [isOpen, setOpen] = useState(false);
  function openDialog(): void {
    question.mutation.reset();
    setOpen(true);
  }
  return (
    <>
      <Button
        variant="default"
        size="xs"
        {...buttonProps}
        c={question.isDangerous ? 'var(--assay-blocked)' : undefined}
        onClick={openDialog}
      >
        {label}
      </Button>
      <ConfirmDialog
        {...question}
        isOpen={isOpen}
        confirmLabel={confirmLabel}
        onClose={() => setOpen(false)}
      />
    </>
  );
}

interface DialogProps extends Question {
  isOpen: boolean;
  confirmLabel: string;
  onClose: () => void;
}

/** What a control opens that is no button. */
export function ConfirmDialog({
  confirmLabel,
  onConfirm,
  onClose,
  children,
  ...dialog
}: DialogProps): ReactNode {
  return (
    <FormDialog
      {...dialog}
      submitLabel={confirmLabel}
      onClose={onClose}
      onSubmit={(event) => {
        event.preventDefault();
        // What failed is shown in the dialog.
        void onConfirm().then(onClose, () => {});
      }}
    >
      <Text size="sm" component="div">
        {children}
      </Text>
    </FormDialog>
  );
}
