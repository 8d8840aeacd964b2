// Chooses the period: up to now, or between two days.
import { Group, SegmentedControl, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import {
  findDays,
  findPeriodProblem,
  PERIODS,
  type Period,
  type PeriodSearch,
  readDay,
} from './period.ts';

const LABELS: Readonly<Record<Period, string>> = {
  '24h': '24 h',
  '7d': '7 d',
  '30d': '30 d',
  '90d': '90 d',
  custom: 'Custom',
};

interface Props {
  search: PeriodSearch;
  onChange: (search: PeriodSearch) => void;
}

export function PeriodChoice({ search, onChange }: Props): ReactNode {
  const { period = '7d' } = search;
  return (
    <Group gap="xs" align="center">
      {period === 'custom' && <Days search={search} onChange={onChange} />}
      <SegmentedControl
        size="xs"
        aria-label="Period"
        value={period}
        data={PERIODS.map((value) => ({ value, label: LABELS[value] }))}
        onChange={(chosen) => onChange({ period: chosen })}
      />
    </Group>
  );
}

function Days({ search, onChange }: Props): ReactNode {
  const days = findDays(search, Date.now());
  const problem = findPeriodProblem(search, Date.now());
  return (
    <>
      {problem !== null && (
        <Text size="sm" c="var(--assay-blocked)" role="alert">
          {problem}
        </Text>
      )}
      {(['from', 'to'] as const).map((end) => (
        <TextInput
          key={end}
          type="date"
          size="xs"
          aria-label={end === 'from' ? 'First day' : 'Last day'}
          value={days[end]}
          onChange={({ currentTarget: { value } }) => {
            const day = readDay(value);
            if (day !== undefined) onChange({ period: 'custom', ...days, [end]: day });
          }}
        />
      ))}
    </>
  );
}
