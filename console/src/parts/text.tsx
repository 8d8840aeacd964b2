// Stored texts and values: shown as text whatever is in them, with invisible characters made visible.
import { ActionIcon, Box, Code, CopyButton, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from './icons.tsx';

/** Controls (ANSI sequences among them), direction marks, zero-width characters: what could make a text look like another. */
const INVISIBLE =
  /[\p{Cc}\u061C\u180E\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF\uFFF9-\uFFFB]/gu;
const LINE_PART = /[\n\t]/;

const formatMark = (character: string): string =>
  `\u27E8U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}\u27E9`;

/** Replaces characters that are not seen by their code points, so that a reviewer reads what is there. */
export function markInvisible(text: string): string {
  return text.replaceAll(INVISIBLE, (found) => (LINE_PART.test(found) ? found : formatMark(found)));
}

const MOST_SHOWN = 20_000;

/** Formats a stored value: texts as they are, others as indented JSON. */
export function formatValue(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');
  return markInvisible(text);
}

interface StoredProps {
  value: unknown;
  size?: 'sm' | 'md' | 'lg';
}

/** A stored value in full, as text; beyond 20,000 characters it is cut and says so. */
export function Stored({ value, size = 'sm' }: StoredProps): ReactNode {
  const text = formatValue(value);
  const isText = typeof value === 'string';
  return (
    <Text
      component="div"
      size={size}
      dir="auto"
      ff={isText ? undefined : 'monospace'}
      className="stored-text"
    >
      {text.slice(0, MOST_SHOWN)}
      {text.length > MOST_SHOWN && (
        <Text c="dimmed" size="xs">
          {(text.length - MOST_SHOWN).toLocaleString()} more characters are not shown.
        </Text>
      )}
    </Text>
  );
}

/** One line of a stored value, for lists. */
export function StoredLine({ value }: { value: unknown }): ReactNode {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return (
    <Text span size="sm" className="clamp" display="block" dir="auto">
      {markInvisible((text ?? '').slice(0, 300)).replaceAll(/\s+/g, ' ')}
    </Text>
  );
}

interface CopyProps {
  text: string;
  label: string;
}

export function CopyAction({ text, label }: CopyProps): ReactNode {
  return (
    <CopyButton value={text} timeout={1500}>
      {({ copied, copy }) => (
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          onClick={copy}
          aria-label={copied ? 'Copied' : label}
          title={copied ? 'Copied' : label}
        >
          <Icon name={copied ? 'check' : 'copy'} size={14} />
        </ActionIcon>
      )}
    </CopyButton>
  );
}

/** A hash or id: its beginning, and a button that copies all of it. */
export function ShortHash({ value, label }: { value: string; label: string }): ReactNode {
  return (
    <Group gap={2} wrap="nowrap" component="span" display="inline-flex">
      <Code className="numbers">{value.length > 16 ? `${value.slice(0, 12)}\u2026` : value}</Code>
      <CopyAction text={value} label={`Copy ${label}`} />
    </Group>
  );
}

/** A snippet of code with a button that copies it. */
export function Snippet({ code, label }: { code: string; label: string }): ReactNode {
  return (
    <Box pos="relative">
      <Code block className="stored-text" tabIndex={0} role="group" aria-label={label}>
        {code}
      </Code>
      <Box pos="absolute" top={6} right={6}>
        <CopyAction text={code} label={`Copy ${label}`} />
      </Box>
    </Box>
  );
}
