// The arms of a canary side by side: the share that people overturned, and how sure it is.
import { Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatPercent } from '../policy-words.ts';

interface Arm {
  name: string;
  n: number;
  events: number;
}

interface Interval {
  low: number;
  value: number;
  high: number;
}

/** Of the normal distribution, for 95 %. */
const Z = 1.96;
const LEAST_SCALE = 0.05;

/** The interval of Wilson, which also holds for few decisions. */
export function measureInterval({ n, events }: Arm): Interval | null {
  if (n === 0) return null;
  const value = events / n;
  const centre = value + (Z * Z) / (2 * n);
  const spread = Z * Math.sqrt((value * (1 - value)) / n + (Z * Z) / (4 * n * n));
  const whole = 1 + (Z * Z) / n;
  return {
    low: Math.max(0, (centre - spread) / whole),
    value,
    high: Math.min(1, (centre + spread) / whole),
  };
}

const NAMES: Readonly<Record<string, string>> = {
  canary: 'With the change',
  control: 'As before',
};

export function ArmsChart({ arms }: { arms: readonly Arm[] }): ReactNode {
  const shown = arms.map((arm) => ({ ...arm, interval: measureInterval(arm) }));
  const scale = Math.max(LEAST_SCALE, ...shown.map(({ interval }) => interval?.high ?? 0));
  return (
    <Stack gap="sm">
      {shown.map(({ name, n, events, interval }) => (
        <div key={name}>
          <Group justify="space-between">
            <Text size="sm" fw={600}>
              {NAMES[name] ?? name}
            </Text>
            <Text size="sm" className="numbers">
              {events.toLocaleString('en')} of {n.toLocaleString('en')}
              {interval && ` (${describeInterval(interval)})`}
            </Text>
          </Group>
          <Track
            interval={interval}
            scale={scale}
            colour={name === 'canary' ? 'chart' : 'neutral'}
            label={`${NAMES[name] ?? name}: ${interval ? describeInterval(interval) : 'no decision was judged yet'}`}
          />
        </div>
      ))}
      <Group justify="space-between">
        <Text size="xs" c="dimmed">
          0 %
        </Text>
        <Text size="xs" c="dimmed">
          overturned, with the 95 % interval
        </Text>
        <Text size="xs" c="dimmed">
          {formatPercent(scale)}
        </Text>
      </Group>
    </Stack>
  );
}

const describeInterval = ({ low, value, high }: Interval): string =>
  `${formatPercent(value)}, ${formatPercent(low)} to ${formatPercent(high)}`;

interface TrackProps {
  interval: Interval | null;
  scale: number;
  colour: 'chart' | 'neutral';
  label: string;
}

function Track({ interval, scale, colour, label }: TrackProps): ReactNode {
  const toPlace = (share: number): string => `${((100 * share) / scale).toFixed(2)}%`;
  const stroke = `var(--assay-${colour})`;
  return (
    <svg role="img" aria-label={label} width="100%" height="20" display="block">
      <line x1="0" x2="100%" y1="10" y2="10" stroke="var(--assay-line)" strokeWidth="1" />
      {interval && (
        <>
          <line
            x1={toPlace(interval.low)}
            x2={toPlace(interval.high)}
            y1="10"
            y2="10"
            stroke={stroke}
            strokeWidth="4"
            strokeLinecap="round"
            opacity="0.45"
          />
          <circle cx={toPlace(interval.value)} cy="10" r="5" fill={stroke} />
        </>
      )}
    </svg>
  );
}
