// The figures at the top: how many, which share was held and blocked, how long people took, what waits.
import type { ReactNode } from 'react';
import { Figures } from '../../parts/layout/facts.tsx';
import { TextLink } from '../../parts/links.tsx';
import { formatDuration, formatRelative } from '../../parts/time.tsx';
import type { OverviewData } from './overview-queries.ts';
import {
  computeShare,
  describePeriod,
  formatChange,
  formatPoints,
  formatShare,
  type Period,
} from './period.ts';

type Verdicts = Pick<OverviewData['decisions'], 'approved' | 'flagged' | 'blocked'>;

const sumVerdicts = ({ approved, flagged, blocked }: Verdicts): number =>
  approved + flagged + blocked;

const formatSeconds = (seconds: number | null): string =>
  seconds === null ? '—' : formatDuration(seconds * 1000);

interface Props {
  data: OverviewData;
  period: Period;
}

export function OverviewFigures({ data, period }: Props): ReactNode {
  const { decisions, waits, queue, span } = data;
  const { before } = decisions;
  const [total, earlier] = [sumVerdicts(decisions), sumVerdicts(before)];
  const place = { from: span.from, to: span.to };
  const describeShare = (verdict: keyof Verdicts): { value: ReactNode; note: string } => {
    const share = computeShare(decisions[verdict], total);
    return {
      value: (
        <TextLink
          to="/live"
          search={{ status: verdict, ...place }}
          inherit
          c="inherit"
          underline="hover"
        >
          {formatShare(share)}
        </TextLink>
      ),
      note: `${decisions[verdict].toLocaleString('en')}${earlier === 0 ? '' : `; ${formatPoints(share, computeShare(before[verdict], earlier))}`}`,
    };
  };
  return (
    <Figures
      items={[
        {
          label: 'Decisions',
          value: (
            <TextLink to="/live" search={place} inherit c="inherit" underline="hover">
              {total.toLocaleString('en')}
            </TextLink>
          ),
          note:
            earlier === 0
              ? `none in the ${describePeriod(period)} before`
              : `${formatChange(total, earlier)} against the ${describePeriod(period)} before`,
        },
        { label: 'Held', ...describeShare('flagged') },
        { label: 'Blocked', ...describeShare('blocked') },
        {
          label: 'Time to verdict, median',
          value: formatSeconds(waits.p50Seconds),
          note:
            waits.count === 0
              ? 'no hold was decided'
              : `95 % within ${formatSeconds(waits.p95Seconds)}; before: ${formatSeconds(waits.before.p50Seconds)}`,
        },
        {
          label: 'Waiting now',
          value: (
            <TextLink to="/review/{-$traceId}" inherit c="inherit" underline="hover">
              {`${queue.waiting.toLocaleString('en')}${queue.truncated ? '+' : ''}`}
            </TextLink>
          ),
          note:
            queue.oldestAt === null
              ? 'the queue is empty'
              : `the oldest came ${formatRelative(Date.parse(queue.oldestAt), Date.now())}`,
        },
      ]}
    />
  );
}
