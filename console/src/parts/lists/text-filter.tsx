// A field that filters a list a moment after the last key.
import { TextInput, type TextInputProps } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import type { ReactNode } from 'react';

const TYPING_MS = 300;

interface TextFilterProps extends TextInputProps {
  /** What the address holds. */
  text: string | undefined;
  onText: (text: string) => void;
}

/** Each field has a moment of its own: two that are typed at once both count. */
export function TextFilter({ text = '', onText, ...input }: TextFilterProps): ReactNode {
  const changeLater = useDebouncedCallback(onText, TYPING_MS);
  return (
    <TextInput
      {...input}
      defaultValue={text}
      onChange={({ currentTarget }) => changeLater(currentTarget.value)}
    />
  );
}
