// Saves the search line by name, for oneself or for all members, and lists what is saved.
import {
  Box,
  Button,
  Code,
  Group,
  Modal,
  Stack,
  Switch,
  Text,
  TextInput,
  UnstyledButton,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ConfirmButton } from '../../../parts/forms/confirm-button.tsx';
import { useChange } from '../../../parts/forms/use-change.ts';
import { Problem, QueryView } from '../../../parts/states.tsx';
import { markInvisible } from '../../../parts/text.tsx';
import { useRights } from '../../../session/session.ts';
import classes from './views.module.css';
import { createView, deleteView, type SavedView, viewsQuery } from './view-queries.ts';

interface Props {
  line: string;
  isOpen: boolean;
  onClose: () => void;
  onApply: (line: string) => void;
}

export function ViewsDialog({ line, isOpen, onClose, onApply }: Props): ReactNode {
  const views = useQuery(viewsQuery);
  function apply(query: string): void {
    onApply(query);
    onClose();
  }
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title="Saved views"
      size="lg"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack gap="md">
        {line === '' ? (
          <Text size="sm" c="dimmed">
            Write a search into the line first: it can be saved here by a name.
          </Text>
        ) : (
          <SaveForm line={line} onDone={onClose} />
        )}
        <QueryView query={views}>
          {(found) => found.length > 0 && <ViewList views={found} onApply={apply} />}
        </QueryView>
      </Stack>
    </Modal>
  );
}

function SaveForm({ line, onDone }: { line: string; onDone: () => void }): ReactNode {
  const { mayManage } = useRights();
  const form = useForm({
    initialValues: { name: '', shared: false },
    validate: { name: (name) => (name.trim() === '' ? 'Give it a name' : null) },
  });
  const saving = useChange({
    change: createView,
    refresh: ['views'],
    note: 'The view is saved',
    onDone,
    form,
  });
  return (
    <form
      noValidate
      onSubmit={form.onSubmit(({ name, shared }) =>
        saving.mutate({ name: name.trim(), query: line, shared }),
      )}
    >
      <Stack gap="sm">
        <Code block className="stored-text">
          {markInvisible(line)}
        </Code>
        <TextInput label="Name" maxLength={80} data-autofocus {...form.getInputProps('name')} />
        {mayManage && (
          <Switch
            label="For all members"
            description="Off: only you see it."
            {...form.getInputProps('shared', { type: 'checkbox' })}
          />
        )}
        {saving.error && <Problem error={saving.error} />}
        <Group justify="flex-end">
          <Button type="submit" loading={saving.isPending}>
            Save this search
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface ListProps {
  views: readonly SavedView[];
  onApply: (line: string) => void;
}

function ViewList({ views, onApply }: ListProps): ReactNode {
  const { mayManage } = useRights();
  return (
    <Stack gap="xs" component="ul" m={0} p={0} className="plain-list" aria-label="Saved views">
      {views.map((view) => (
        <Group key={view._id} component="li" wrap="nowrap" gap="sm" justify="space-between">
          <Box miw={0}>
            <UnstyledButton className={classes.name} onClick={() => onApply(view.query)}>
              {markInvisible(view.name)}
            </UnstyledButton>
            <Text size="xs" c="dimmed" ff="monospace" className="clamp" dir="auto">
              {markInvisible(view.query)}
            </Text>
          </Box>
          <Group gap="sm" wrap="nowrap">
            {view.shared && (
              <Text size="xs" c="dimmed">
                Shared
              </Text>
            )}
            {(mayManage || !view.shared) && <DeleteButton view={view} />}
          </Group>
        </Group>
      ))}
    </Stack>
  );
}

function DeleteButton({ view }: { view: SavedView }): ReactNode {
  const deletion = useChange({ change: () => deleteView(view), refresh: ['views'] });
  const name = markInvisible(view.name);
  return (
    <ConfirmButton
      label="Delete"
      title={`Delete the view ${name}?`}
      isDangerous
      mutation={deletion}
      onConfirm={() => deletion.mutateAsync()}
      buttonProps={{ 'aria-label': `Delete ${name}` }}
    >
      {view.shared ? 'It goes for all members.' : 'Decisions stay as they are.'}
    </ConfirmButton>
  );
}
