// What the service itself shows of a clause, with links to the pages that prove it; beside what people attest.
import { Group, Stack, Text } from '@mantine/core';
import { queryOptions } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, readData } from '../../api/client.ts';
import type { components } from '../../api/schema.gen.d.ts';
import { TextLink } from '../../parts/links.tsx';
import { Sign } from '../../parts/verdict.tsx';

type Proofs = components['schemas']['ComplianceProofs'];
type Measure = Proofs['measures'][number];

const LOOKS = {
  shown: { tone: 'good', word: 'Shown' },
  'not-shown': { tone: 'warning', word: 'Not shown' },
  'cannot-tell': { tone: 'neutral', word: 'Cannot tell' },
} as const satisfies Record<Measure['answer'], object>;

export const createProofsQuery = (framework: Proofs['framework']) =>
  queryOptions({
    queryKey: ['compliance', 'proofs', framework],
    queryFn: () =>
      readData(api.GET('/api/v1/compliance/proofs', { params: { query: { framework } } })),
  });

interface Props {
  /** Undefined: it is not read yet. */
  proofs: Proofs | undefined;
  clauseId: string;
}

export function ClauseProof({ proofs, clauseId }: Props): ReactNode {
  const clause = proofs?.clauses.find((one) => one.clauseId === clauseId);
  if (!proofs || !clause) return null;
  const measures = proofs.measures.filter(({ measure }) => clause.measures.includes(measure));
  if (measures.length === 0)
    return (
      <Text size="xs" c="dimmed">
        People alone can say
      </Text>
    );
  return (
    <Stack gap={6}>
      <Sign tone={LOOKS[clause.answer].tone}>{LOOKS[clause.answer].word}</Sign>
      {measures.map((measure) => (
        <MeasureLine key={measure.measure} measure={measure} />
      ))}
    </Stack>
  );
}

function MeasureLine({
  measure: { title, answer, finding, page },
}: {
  measure: Measure;
}): ReactNode {
  return (
    <div>
      <Group gap={6}>
        <TextLink size="sm" to={page as '/overview'}>
          {title}
        </TextLink>
        <Text size="xs" c="dimmed" span>
          {LOOKS[answer].word}
        </Text>
      </Group>
      <Text size="xs" c="dimmed">
        {finding}
      </Text>
    </div>
  );
}
