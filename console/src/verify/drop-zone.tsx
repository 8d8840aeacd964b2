// Where files are dropped or chosen, with what each of them was taken for.
import { ActionIcon, Badge, Button, FileButton, Group, Paper, Stack, Text } from '@mantine/core';
import { type DragEvent, type ReactNode, useState } from 'react';
import { Icon } from '../parts/icons.tsx';
import { markInvisible } from '../parts/text.tsx';
import type { FileKind, GivenFile } from './given-files.ts';

interface Props {
  files: readonly GivenFile[];
  onAdd: (files: readonly File[]) => void;
  onRemove: (file: GivenFile) => void;
  onSample: () => void;
}

export function DropZone({ files, onAdd, onRemove, onSample }: Props): ReactNode {
  const [isOver, setOver] = useState(false);
  const isEmpty = files.length === 0;
  function takeDrop(event: DragEvent): void {
    event.preventDefault();
    setOver(false);
    onAdd([...event.dataTransfer.files]);
  }
  function acceptDrop(event: DragEvent): void {
    event.preventDefault();
    setOver(true);
  }
  return (
    <Paper
      p={isEmpty ? 'lg' : 'md'}
      className="drop-zone"
      data-over={isOver}
      onDrop={takeDrop}
      onDragOver={acceptDrop}
      onDragLeave={() => setOver(false)}
    >
      <Stack gap="sm" align="center">
        {isEmpty && (
          <Text c="dimmed" span>
            <Icon name="verify" size={28} />
          </Text>
        )}
        <Text fw={600} ta="center">
          Drop a bundle here, and what you hold it against
        </Text>
        {isEmpty && (
          <Text size="sm" c="dimmed" ta="center" maw={620}>
            Evidence bundles (.json, .json.gz) and audit bundles (.tar.gz). Beside them proof files,
            checkpoints with witnesses, a witness policy, keys, time stamps (.tsr) with the root
            certificates of their authority (.pem), the answers that your agents kept, whose
            promises are checked too, and a saved erasure with the statement of its custodian.
          </Text>
        )}
        <Group gap="xs">
          <FileButton multiple onChange={onAdd}>
            {(props) => <Button {...props}>Choose files</Button>}
          </FileButton>
          <Button variant="default" onClick={onSample}>
            Try a sample
          </Button>
        </Group>
        {files.length > 0 && (
          <Stack component="ul" gap={4} p={0} m={0} className="plain-list" aria-label="Files">
            {files.map((file, i) => (
              <Group component="li" key={`${file.name}-${i}`} gap="xs" wrap="nowrap">
                <Badge color="gray">{NAMES[file.kind]}</Badge>
                <Text size="sm" className="clamp">
                  {markInvisible(file.name)}
                </Text>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size="sm"
                  onClick={() => onRemove(file)}
                  aria-label={`Take ${markInvisible(file.name)} away`}
                >
                  <Icon name="x" size={14} />
                </ActionIcon>
              </Group>
            ))}
          </Stack>
        )}
      </Stack>
    </Paper>
  );
}

const NAMES: Readonly<Record<FileKind, string>> = {
  bundle: 'Bundle',
  proof: 'Proof',
  checkpoint: 'Checkpoint',
  checkpoints: 'Checkpoints',
  'witness policy': 'Witness policy',
  answer: 'Answer',
  erasure: 'Erasure',
  pin: 'Noted place',
  keys: 'Keys',
  'time stamp': 'Time stamp',
  certificates: 'Certificates',
  unknown: 'Not known',
};
