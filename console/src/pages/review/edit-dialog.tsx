// Edits an action before it is approved: the difference is shown as it arises, and is what the agent gets.
import { Box, Button, Code, Modal, Stack, Text, Textarea } from '@mantine/core';
import { type ReactNode, useMemo, useState } from 'react';
import { isSendKey } from '../../parts/keys/read-key.ts';
import { DialogButtons } from '../../parts/forms/dialog-buttons.tsx';
import { DataTable } from '../../parts/lists/data-table.tsx';
import { formatValue, Stored } from '../../parts/text.tsx';
import { type Change, readEdits } from './merge-patch.ts';
import { parseAction, type ReviewItem } from './review-queries.ts';

interface Props {
  isOpen: boolean;
  item: ReviewItem;
  onClose: () => void;
  onApprove: (edits: Record<string, unknown> | string) => void;
}

export function EditDialog({ isOpen, item, onClose, onApprove }: Props): ReactNode {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title="Edit the action, then approve it"
      size="lg"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <EditForm key={item._id} item={item} onClose={onClose} onApprove={onApprove} />
    </Modal>
  );
}

function EditForm({ item, onClose, onApprove }: Omit<Props, 'isOpen'>): ReactNode {
  const action = useMemo(() => parseAction(item), [item]);
  const [text, setText] = useState(() =>
    typeof action === 'string' ? action : JSON.stringify(action, null, 2),
  );
  const { edits, changes, problem } = useMemo(() => readEdits(action, text), [action, text]);
  const approve = (): void => {
    if (edits !== null) onApprove(edits);
  };
  return (
    <Stack gap="sm">
      <Textarea
        label="Action"
        description="The agent applies the difference to the action that it holds, so masked values stay as they were."
        autosize
        minRows={6}
        maxRows={16}
        data-autofocus
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (isSendKey(event.nativeEvent)) approve();
        }}
        error={problem}
        classNames={{ input: 'code-input' }}
      />
      <Changes changes={changes} />
      <DialogButtons onCancel={onClose}>
        <Button disabled={edits === null} onClick={approve}>
          Approve with these changes
        </Button>
      </DialogButtons>
    </Stack>
  );
}

function Changes({ changes }: { changes: readonly Change[] }): ReactNode {
  if (changes.length === 0)
    return (
      <Text size="sm" c="dimmed">
        Nothing is changed yet.
      </Text>
    );
  return (
    <DataTable
      label="Changes"
      isPlain
      isEven
      rows={changes}
      toKey={({ path }) => path}
      columns={[
        {
          title: 'Member',
          cell: ({ path }) => <Code className="stored-text">{formatValue(path)}</Code>,
        },
        {
          title: 'Proposed',
          cell: ({ before }) => (
            <Box c="var(--assay-blocked)">
              <ChangedValue value={before} absent="not there" />
            </Box>
          ),
        },
        {
          title: 'Approved',
          cell: ({ after }) => (
            <Box c="var(--assay-approved)">
              <ChangedValue value={after} absent="taken away" />
            </Box>
          ),
        },
      ]}
    />
  );
}

function ChangedValue({ value, absent }: { value: unknown; absent: string }): ReactNode {
  return value === undefined ? <Text size="sm">{absent}</Text> : <Stored value={value} />;
}
