// A dialog with a form: its fields, what failed, and two buttons.
import { Button, Modal, Stack } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { Problem } from '../states.tsx';
import { ChangedNotice, isChangedSince, type Watched } from './changed-notice.tsx';
import { DialogButtons } from './dialog-buttons.tsx';

interface Running {
  isPending: boolean;
  error: unknown;
  reset?: () => void;
}

interface OutcomeProps {
  mutation: Running;
  form: Watched | undefined;
}

/** Why it was not saved, or what others have changed. */
function FormOutcome({ mutation: { error, reset }, form }: OutcomeProps): ReactNode {
  const isRefused = isChangedSince(error);
  return (
    <>
      {Boolean(error) && !(isRefused && form) && <Problem error={error} />}
      {form && (
        <ChangedNotice form={form} isRefused={isRefused} {...(reset && { onTaken: reset })} />
      )}
    </>
  );
}

interface Props {
  isOpen: boolean;
  title: string;
  /** What the button does, such as `Make a key`. */
  submitLabel: string;
  mutation: Running;
  onClose: () => void;
  onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  children: ReactNode;
  isDangerous?: boolean;
  isLarge?: boolean;
  /** A form of something stored shows what others have changed. */
  form?: Watched;
}

export function FormDialog({ isOpen, title, onClose, isLarge = false, ...form }: Props): ReactNode {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={title}
      size={isLarge ? 'lg' : 'md'}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <DialogForm onClose={onClose} {...form} />
    </Modal>
  );
}

type FormProps = Omit<Props, 'isOpen' | 'title' | 'isLarge'>;

function DialogForm(props: FormProps): ReactNode {
  const { submitLabel, mutation, onClose, onSubmit, children, isDangerous = false, form } = props;
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack gap="sm">
        {children}
        <FormOutcome mutation={mutation} form={form} />
        <DialogButtons onCancel={onClose}>
          <Button
            type="submit"
            loading={mutation.isPending}
            color={isDangerous ? 'red' : undefined}
          >
            {submitLabel}
          </Button>
        </DialogButtons>
      </Stack>
    </form>
  );
}

interface FormSectionProps {
  submitLabel?: string;
  mutation: Running;
  onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  /** Without changes there is nothing to save. */
  isChanged: boolean;
  children: ReactNode;
  /** A form of something stored shows what others have changed. */
  form?: Watched;
}

/** A form in a section of a page. */
export function PageForm({
  submitLabel = 'Save',
  mutation,
  onSubmit,
  isChanged,
  children,
  form,
}: FormSectionProps): ReactNode {
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack gap="sm" maw={640}>
        {children}
        <FormOutcome mutation={mutation} form={form} />
        <Button
          type="submit"
          variant="default"
          w="fit-content"
          loading={mutation.isPending}
          disabled={!isChanged}
        >
          {submitLabel}
        </Button>
      </Stack>
    </form>
  );
}
