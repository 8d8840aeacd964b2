// The search line: its parts stand as chips, and what is typed becomes one with Enter.
import { CloseButton, Text } from '@mantine/core';
import { type KeyboardEvent, lazy, type ReactNode, Suspense, useId, useRef, useState } from 'react';
import { Icon } from '../../../parts/icons.tsx';
import { useSingleKeys } from '../../../parts/keys/single-keys.ts';
import {
  LINE_MAX,
  parseLine,
  printPart,
  type SearchPart,
} from '../../../parts/search/search-line.ts';
import { addParts } from '../../../parts/search/search-slots.ts';
import { LineChip } from './line-chip.tsx';
import classes from './query-line.module.css';

const Suggestions = lazy(async () => ({
  default: (await import('./suggestions.tsx')).Suggestions,
}));

interface Props {
  parts: readonly SearchPart[];
  faults: ReadonlyMap<SearchPart, string>;
  onChange: (parts: readonly SearchPart[]) => void;
}

const KEY_NAMES = { '/': 'Write into the search line' };

/** Returns whether it has used the key. */
export type KeyHandler = (event: KeyboardEvent) => boolean;

/** What is typed, and how it becomes parts of the line. */
function useTyped({ parts, onChange }: Pick<Props, 'parts' | 'onChange'>) {
  const [text, setText] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  function writeText(typed: string): void {
    setText(typed.slice(0, LINE_MAX));
    setFault(null);
  }
  function commit(typed: string): void {
    const added = parseLine(typed);
    const wrong = added.find((part) => part.kind === 'fault');
    if (wrong) return setFault(wrong.message);
    writeText('');
    if (added.length > 0) onChange(addParts(parts, added));
  }
  function changePart(part: SearchPart): void {
    onChange(parts.filter((one) => one !== part));
    writeText(`${text} ${printPart(part)}`.trimStart());
  }
  return { text, fault, writeText, commit, changePart };
}

export function QueryLine({ parts, faults, onChange }: Props): ReactNode {
  const typed = useTyped({ parts, onChange });
  const input = useRef<HTMLInputElement>(null);
  const enterField = (): void => input.current?.focus();
  useSingleKeys({ '/': enterField }, KEY_NAMES);
  const said = [typed.fault, ...faults.values()].filter((one) => one !== null);
  const note = useId();
  return (
    <div>
      <div className={classes.line} data-faulty={said.length > 0}>
        <Icon name="search" size={14} />
        {parts.map((part, at) => (
          <LineChip
            key={`${at} ${printPart(part)}`}
            part={part}
            isFaulty={faults.has(part)}
            onEdit={() => {
              typed.changePart(part);
              enterField();
            }}
            onRemove={() => {
              onChange(parts.filter((one) => one !== part));
              enterField();
            }}
          />
        ))}
        <LineInput
          typed={typed}
          parts={parts}
          field={input}
          note={said.length > 0 ? note : undefined}
        />
        {parts.length > 0 && (
          <CloseButton
            size={24}
            iconSize={14}
            aria-label="Clear the search"
            onClick={() => onChange([])}
          />
        )}
      </div>
      {said.length > 0 && (
        <Text id={note} role="alert" size="sm" c="var(--assay-blocked)" mt={4} component="div">
          {said.map((one) => (
            <div key={one}>{one}.</div>
          ))}
        </Text>
      )}
    </div>
  );
}

interface InputProps {
  typed: ReturnType<typeof useTyped>;
  parts: readonly SearchPart[];
  field: React.RefObject<HTMLInputElement | null>;
  /** Id of what is said about the line. */
  note: string | undefined;
}

function LineInput({ typed, parts, field, note }: InputProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState<string>();
  const list = useId();
  const keys = useRef<KeyHandler | null>(null);
  function handleKey(event: KeyboardEvent): void {
    if (event.nativeEvent.isComposing) return;
    const last = parts.at(-1);
    if (isOpen && keys.current?.(event)) event.preventDefault();
    else if (event.key === 'Enter') typed.commit(typed.text);
    else if (event.key === 'Escape') setOpen(false);
    else if (event.key === 'Backspace' && typed.text === '' && last) {
      event.preventDefault();
      typed.changePart(last);
    } else if (event.key !== 'Tab') setOpen(true);
  }
  return (
    <>
      <input
        ref={field}
        role="combobox"
        aria-label="Search decisions"
        aria-expanded={isOpen}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={active}
        aria-invalid={note !== undefined}
        aria-describedby={note}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        enterKeyHint="search"
        placeholder={
          parts.length > 0 ? 'Add to it' : 'tool:cancel_*  status:held  amount>=500  words'
        }
        value={typed.text}
        onChange={({ currentTarget }) => typed.writeText(currentTarget.value)}
        onKeyDown={handleKey}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        className={classes.input}
      />
      {isOpen && (
        <Suspense>
          <Suggestions
            id={list}
            typed={typed.text}
            parts={parts}
            keys={keys}
            onActive={setActive}
            onType={typed.writeText}
            onCommit={typed.commit}
          />
        </Suspense>
      )}
    </>
  );
}
