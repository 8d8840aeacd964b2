// Confidence of an agent over its newest decisions, and whether it drifts.
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { LineOfScores } from '../../parts/charts/charts.tsx';
import { Section } from '../../parts/layout/section.tsx';
import { QueryView } from '../../parts/states.tsx';
import { type Agent, createNewestQuery } from './agent-queries.ts';
import { type Drift, measureDrift, toPoints } from './score-series.ts';

export function Confidence({ agent }: { agent: Agent }): ReactNode {
  const newest = useQuery(createNewestQuery(agent._id));
  return (
    <Section
      title="Confidence"
      lead="The score of each of the newest 200 decisions, and the mean of 20 in a row."
    >
      <QueryView query={newest}>
        {({ data }) => (
          <Scores
            scores={data.map(({ confidenceScore }) => confidenceScore)}
            threshold={agent.policies.confidenceThreshold}
          />
        )}
      </QueryView>
    </Section>
  );
}

interface Props {
  /** The newest first. */
  scores: readonly number[];
  threshold: number;
}

function Scores({ scores, threshold }: Props): ReactNode {
  const points = useMemo(() => toPoints(scores), [scores]);
  const drift = useMemo(() => measureDrift(scores), [scores]);
  if (scores.length < 2)
    return (
      <Text size="sm" c="dimmed">
        Two decisions make a line. There are {scores.length}.
      </Text>
    );
  const last = points.at(-1)?.mean ?? 0;
  return (
    <>
      <LineOfScores
        points={points}
        threshold={threshold > 0 ? threshold : null}
        label={`Confidence of the newest ${scores.length} decisions; their last mean is ${last.toFixed(2)}`}
      />
      <Text size="sm" role="status">
        {describeDrift(drift)}
      </Text>
    </>
  );
}

function describeDrift(drift: Drift | null): string {
  if (drift === null) return 'With 40 decisions or more it is said here whether they drift.';
  const { before, now, isClear } = drift;
  const figures = `${before.toFixed(2)} in the older half, ${now.toFixed(2)} in the newer`;
  if (!isClear) return `Steady: ${figures}, which is within chance.`;
  return now < before ? `Drifting down: ${figures}.` : `Drifting up: ${figures}.`;
}
