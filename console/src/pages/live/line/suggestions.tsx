// What may follow in the search line, chosen by arrow keys, Tab or a click; loaded when the line is first used.
import { Kbd, Paper, Text } from '@mantine/core';
import { type ReactNode, type RefObject, useEffect, useState } from 'react';
import type { SearchPart } from '../../../parts/search/search-line.ts';
import { markInvisible } from '../../../parts/text.tsx';
import { completeLine, findLastWord, type Suggestion } from './complete-line.ts';
import { useKnownValues } from './known-values.ts';
import type { KeyHandler } from './query-line.tsx';
import classes from './query-line.module.css';

interface Props {
  /** Of the list, for the field. */
  id: string;
  typed: string;
  parts: readonly SearchPart[];
  /** Gets what the keys of the field do here. */
  keys: RefObject<KeyHandler | null>;
  /** Called with the id of the chosen one. */
  onActive: (id: string | undefined) => void;
  onType: (text: string) => void;
  onCommit: (text: string) => void;
}

export function Suggestions({ id, typed, parts, keys, onActive, ...to }: Props): ReactNode {
  const used = new Set(parts.flatMap((part) => (part.kind === 'field' ? [part.field] : [])));
  const suggestions = completeLine(typed, useKnownValues(), used);
  const [{ of, index }, setChosen] = useState({ of: typed, index: -1 });
  const chosen = of === typed ? Math.min(index, suggestions.length - 1) : -1;
  useEffect(() => {
    onActive(chosen < 0 ? undefined : `${id}-${chosen}`);
    return () => onActive(undefined);
  }, [chosen, id, onActive]);
  function pick({ text, isOpen }: Suggestion): void {
    const written = `${typed.slice(0, findLastWord(typed))}${text}`;
    if (isOpen) to.onType(written);
    else to.onCommit(written);
  }
  useEffect(() => {
    keys.current = ({ key, shiftKey }) => {
      const count = suggestions.length;
      if (count === 0) return false;
      if (key === 'ArrowDown') setChosen({ of: typed, index: (chosen + 1) % count });
      else if (key === 'ArrowUp')
        setChosen({ of: typed, index: (Math.max(chosen, 0) + count - 1) % count });
      else {
        const meant = key === 'Tab' && !shiftKey && typed !== '' ? Math.max(chosen, 0) : chosen;
        const picked = key === 'Tab' || key === 'Enter' ? suggestions[meant] : undefined;
        if (!picked || (key === 'Tab' && (shiftKey || typed === ''))) return false;
        pick(picked);
      }
      return true;
    };
    return () => void (keys.current = null);
  });
  return (
    <Paper shadow="md" className={classes.suggestions}>
      <div role="listbox" id={id} aria-label="Suggestions">
        {suggestions.map((suggestion, at) => (
          <Option
            key={suggestion.text}
            id={`${id}-${at}`}
            suggestion={suggestion}
            isChosen={at === chosen}
            onPick={() => pick(suggestion)}
          />
        ))}
      </div>
      <Text size="xs" c="dimmed" className={classes.hint}>
        {typed.trim() === '' ? (
          'Write words, “a phrase” or -without to search texts and arguments.'
        ) : (
          <>
            <Kbd size="xs">Enter</Kbd> searches for what is written
            {suggestions.length > 0 && (
              <>
                , <Kbd size="xs">Tab</Kbd> completes it
              </>
            )}
            .
          </>
        )}
      </Text>
    </Paper>
  );
}

interface OptionProps {
  id: string;
  suggestion: Suggestion;
  isChosen: boolean;
  onPick: () => void;
}

/** The field keeps the focus, so that its list stays. */
function Option({ id, suggestion, isChosen, onPick }: OptionProps): ReactNode {
  return (
    <div
      id={id}
      role="option"
      aria-selected={isChosen}
      className={classes.option}
      onMouseDown={(event) => event.preventDefault()}
      onClick={onPick}
    >
      <span className={classes.name}>{markInvisible(suggestion.text)}</span>
      <Text span size="xs" c="dimmed" className="clamp">
        {suggestion.about}
      </Text>
    </div>
  );
}
