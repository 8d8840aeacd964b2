// The difference of two texts, line by line: what goes, what comes, and what stays around it.
import { Box, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { markInvisible } from '../text.tsx';
import classes from './text-diff.module.css';

export interface DiffLine {
  sign: ' ' | '-' | '+';
  text: string;
}

const MOST_CELLS = 1_000_000;

/** Compares lines by their longest common subsequence; texts that are too long are shown as replaced. */
export function compareLines(before: string, after: string): DiffLine[] {
  const [old, fresh] = [splitLines(before), splitLines(after)];
  if (old.length * fresh.length > MOST_CELLS)
    return [
      ...old.map((text) => ({ sign: '-' as const, text })),
      ...fresh.map((text) => ({ sign: '+' as const, text })),
    ];
  const lengths = countCommon(old, fresh);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < fresh.length) {
    if (i < old.length && j < fresh.length && old[i] === fresh[j]) {
      lines.push({ sign: ' ', text: old[i] ?? '' });
      [i, j] = [i + 1, j + 1];
    } else if (
      j === fresh.length ||
      (i < old.length && readCell(lengths, i + 1, j) >= readCell(lengths, i, j + 1))
    )
      lines.push({ sign: '-', text: old[i++] ?? '' });
    else lines.push({ sign: '+', text: fresh[j++] ?? '' });
  }
  return lines;
}

/** A text without contents has no line. */
const splitLines = (text: string): string[] =>
  text.trimEnd() === '' ? [] : text.trimEnd().split('\n');

const readCell = (table: readonly number[][], i: number, j: number): number => table[i]?.[j] ?? 0;

/** Lengths of the longest common subsequences of the rests from each pair of lines on. */
function countCommon(old: readonly string[], fresh: readonly string[]): number[][] {
  const table = Array.from({ length: old.length + 1 }, () =>
    new Array<number>(fresh.length + 1).fill(0),
  );
  for (let i = old.length - 1; i >= 0; i -= 1)
    for (let j = fresh.length - 1; j >= 0; j -= 1) {
      const row = table[i];
      if (!row) continue;
      row[j] =
        old[i] === fresh[j]
          ? readCell(table, i + 1, j + 1) + 1
          : Math.max(readCell(table, i + 1, j), readCell(table, i, j + 1));
    }
  return table;
}

const NAMES = { ' ': 'same', '-': 'gone', '+': 'new' } as const;

interface Props {
  before: string;
  after: string;
  label: string;
}

export function TextDiff({ before, after, label }: Props): ReactNode {
  const lines = compareLines(before, after);
  if (lines.every(({ sign }) => sign === ' '))
    return (
      <Text size="sm" c="dimmed">
        Nothing differs.
      </Text>
    );
  return (
    <Box component="ol" className={classes.diff} aria-label={label}>
      {lines.map(({ sign, text }, i) => (
        <li key={i} className={classes[NAMES[sign]]}>
          <span className={classes.sign}>{sign === ' ' ? '\u00a0' : sign}</span>
          <span className="stored-text">{markInvisible(text) || '\u00a0'}</span>
        </li>
      ))}
    </Box>
  );
}
