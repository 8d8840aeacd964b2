// Chooses the time as of which the budgets are shown; empty: now.
import { Button, Group, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';

interface Props {
  at: string | undefined;
  onChange: (at: string | undefined) => void;
}

const TYPING_MS = 400;
/** A year that is being typed begins with zeros. */
const FIRST_YEAR = '2000';

/** As an input of date and time takes it: local, to the minute. */
function toLocal(at: string | undefined): string {
  if (at === undefined) return '';
  const time = new Date(at);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

export function AsOf({ at, onChange }: Props): ReactNode {
  const [known, setKnown] = useState(at);
  const [typed, setTyped] = useState(toLocal(at));
  if (known !== at) {
    setKnown(at);
    setTyped(toLocal(at));
  }
  /** An input that is not complete has no text. */
  const changeLater = useDebouncedCallback((local: string) => {
    if (local >= FIRST_YEAR && local !== toLocal(at)) onChange(new Date(local).toISOString());
  }, TYPING_MS);
  return (
    <Group gap="xs" align="flex-end">
      <TextInput
        type="datetime-local"
        label="As of"
        size="xs"
        value={typed}
        onChange={({ currentTarget: { value } }) => {
          setTyped(value);
          changeLater(value);
        }}
      />
      {at !== undefined && (
        <Button variant="default" size="xs" onClick={() => onChange(undefined)}>
          Now
        </Button>
      )}
    </Group>
  );
}
