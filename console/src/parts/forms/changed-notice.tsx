// What others changed since a form was opened: shown before one's own changes are saved over it.
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { type Column, DataTable } from '../lists/data-table.tsx';
import { markInvisible } from '../text.tsx';
import { toTitle } from '../words.ts';
import type { FieldChange } from './use-stored-form.ts';

/** A form that knows what others changed. */
export interface Watched {
  changes: readonly FieldChange[];
  takeTheirs: () => void;
}

/** Says with a change what was read: the service refuses it where that was changed since. */
export const createMatch = (read: { updatedAt: string } | null | undefined) =>
  read ? { headers: { 'If-Match': `"${read.updatedAt}"` } } : {};

export const isChangedSince = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'CHANGED_SINCE';

const LONGEST = 120;

function describe(value: unknown): string {
  if (value === '' || value === null || value === undefined) return '—';
  if (typeof value === 'boolean') return value ? 'On' : 'Off';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return markInvisible(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
}

/** As `maxRequestsPerMinute`, in words. */
const toLabel = (field: string): string =>
  toTitle(field.replaceAll(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`));

interface Props {
  form: Watched;
  /** The service has refused to save it. */
  isRefused: boolean;
  onTaken?: () => void;
  /** Absent: it stands in a form, which its button submits. */
  onSave?: () => void;
  /** Shows what was changed; absent: the fields are listed. */
  children?: ReactNode;
}

/** Nothing: no one has changed it. */
export function ChangedNotice({ form, isRefused, onTaken, onSave, children }: Props): ReactNode {
  const { changes } = form;
  if (changes.length === 0 && !isRefused) return null;
  return (
    <Alert
      role="alert"
      color="orange"
      variant="outline"
      title="Another person changed this after you opened it"
    >
      <Stack gap="xs" align="flex-start">
        {children ||
          (changes.length === 0 ? (
            <Text size="sm">
              None of these fields was changed, so nothing of theirs is lost when you save again.
            </Text>
          ) : (
            <Changes changes={changes} />
          ))}
        <Group gap="xs">
          <Button
            type={onSave ? 'button' : 'submit'}
            size="xs"
            variant="default"
            {...(onSave && { onClick: onSave })}
          >
            Save mine
          </Button>
          <Button
            size="xs"
            variant="default"
            onClick={() => {
              form.takeTheirs();
              onTaken?.();
            }}
          >
            Take theirs
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

const COLUMNS: readonly Column<FieldChange>[] = [
  { title: 'Field', cell: ({ field }) => toLabel(field) },
  { title: 'It was', cell: ({ before }) => describe(before) },
  { title: 'They saved', cell: ({ now }) => describe(now) },
  { title: 'You have', cell: ({ mine }) => describe(mine) },
];

function Changes({ changes }: { changes: readonly FieldChange[] }): ReactNode {
  return (
    <DataTable
      label="What was changed"
      rows={changes}
      toKey={({ field }) => field}
      columns={COLUMNS}
    />
  );
}
