// The difference of two sets of values of any size: only the rows in view are drawn, in a box that scrolls.
import { Box, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useMemo, useRef, useState } from 'react';
import { useFrameRows } from '../lists/drawn-rows.ts';
import { markInvisible } from '../text.tsx';
import classes from './value-diff.module.css';

interface ValueChange {
  sign: '-' | '+';
  value: string;
}

/** What goes and what comes, in the order of the values. */
export function compareValues(before: readonly string[], after: readonly string[]): ValueChange[] {
  const [old, fresh] = [new Set(before), new Set(after)];
  const changes: ValueChange[] = [
    ...[...old]
      .filter((value) => !fresh.has(value))
      .map((value) => ({ sign: '-', value }) as const),
    ...[...fresh]
      .filter((value) => !old.has(value))
      .map((value) => ({ sign: '+', value }) as const),
  ];
  return changes.sort((a, b) => (a.value < b.value ? -1 : 1));
}

/** Blanks at an end, or breaks within: the value could look like another, or like two. */
const UNCLEAR = /^["\s]|\s$|[\n\r\t]/;

const formatListed = (value: string): string =>
  markInvisible(UNCLEAR.test(value) ? JSON.stringify(value) : value);

const ROW_PX = 24;
const FINDABLE = 20;

interface Props {
  before: readonly string[];
  after: readonly string[];
  label: string;
}

export function ValueDiff({ before, after, label }: Props): ReactNode {
  const [sought, setSought] = useState('');
  const changes = useMemo(() => compareValues(before, after), [before, after]);
  const shown = changes.filter(({ value }) => value.includes(sought));
  const added = changes.filter(({ sign }) => sign === '+').length;
  const counts = [
    [added, 'added'],
    [changes.length - added, 'removed'],
    [after.length - added, 'unchanged'],
  ] as const;
  return (
    <Stack gap="xs">
      <Text size="sm">
        {counts.map(([count, what]) => `${count.toLocaleString('en')} ${what}`).join(', ')}
      </Text>
      {changes.length > FINDABLE && (
        <TextInput
          label="Find a value"
          description={`${shown.length.toLocaleString('en')} of ${changes.length.toLocaleString('en')} changes`}
          value={sought}
          onChange={({ currentTarget }) => setSought(currentTarget.value)}
        />
      )}
      {shown.length > 0 && <Rows label={label} shown={shown} />}
    </Stack>
  );
}

function Rows({ label, shown }: { label: string; shown: readonly ValueChange[] }): ReactNode {
  const frame = useRef<HTMLDivElement>(null);
  const { height, rows } = useFrameRows(frame, {
    count: shown.length,
    rowPx: ROW_PX,
    toKey: (index) => `${shown[index]?.sign}${shown[index]?.value}`,
  });
  return (
    <Box ref={frame} className={classes.frame} tabIndex={0} role="group" aria-label={label}>
      <Box role="list" pos="relative" h={height}>
        {rows.map(({ index, key, place }) => {
          const change = shown[index];
          if (!change) return null;
          const { sign, value } = change;
          return (
            <div
              key={key}
              {...place}
              role="listitem"
              aria-setsize={shown.length}
              aria-posinset={index + 1}
              className={`${classes.row} ${sign === '+' ? classes.new : classes.gone}`}
            >
              <span className={classes.sign}>{sign}</span>
              <span className="stored-text" dir="auto">
                {formatListed(value)}
              </span>
            </div>
          );
        })}
      </Box>
    </Box>
  );
}
