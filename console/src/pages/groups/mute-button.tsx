// Puts a group aside for a while, or takes it back.
import { Button, Select } from '@mantine/core';
import type { ReactNode } from 'react';
import { useChange } from '../../parts/forms/use-change.ts';
import { type DecisionGroup, muteGroup, unmuteGroup } from './group-queries.ts';

const PERIODS = [
  { days: 1, label: 'For a day' },
  { days: 7, label: 'For a week' },
  { days: 30, label: 'For 30 days' },
] as const;

export function MuteButton({ group: { group, muted } }: { group: DecisionGroup }): ReactNode {
  const mute = useChange({
    change: (days: number) => muteGroup(group, days),
    refresh: ['groups'],
    note: 'The group is muted. Its decisions wait as before.',
  });
  const unmute = useChange({ change: () => unmuteGroup(group), refresh: ['groups'] });
  if (muted)
    return (
      <Button
        variant="default"
        size="xs"
        loading={unmute.isPending}
        onClick={() => unmute.mutate()}
      >
        Unmute
      </Button>
    );
  return (
    <Select
      size="xs"
      w={120}
      aria-label="Mute"
      placeholder="Mute"
      data={PERIODS.map(({ days, label }) => ({ value: String(days), label }))}
      value={null}
      disabled={mute.isPending}
      onChange={(days) => days !== null && mute.mutate(Number(days))}
    />
  );
}
