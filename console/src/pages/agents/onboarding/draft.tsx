// An agent that its creator has not finished to set up: where it stands, how to go on, and how to discard it.
import { Alert, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, readData } from '../../../api/client.ts';
import { ConfirmButton } from '../../../parts/forms/confirm-button.tsx';
import { useChange } from '../../../parts/forms/use-change.ts';
import { markInvisible } from '../../../parts/text.tsx';
import type { Agent } from '../agent-queries.ts';
import { StepsButton } from './steps.tsx';

const refresh = ['agents'];

export function OnboardingDraft(): ReactNode {
  const { data } = useQuery({
    queryKey: ['agents', 'draft'],
    queryFn: () => readData(api.GET('/api/v1/agents/onboarding/draft')),
  });
  return data?.agent ? <Draft agent={data.agent} /> : null;
}

function Draft({ agent }: { agent: Agent }): ReactNode {
  const { _id: id, name, onboardingProgress } = agent;
  const discard = useChange({
    change: () =>
      readData(api.DELETE('/api/v1/agents/{id}/onboarding', { params: { path: { id } } })),
    refresh,
    note: `${name} is discarded`,
  });
  return (
    <Alert variant="light" title={`${markInvisible(name)} is not finished`}>
      <Text size="sm" mb="xs">
        Step {onboardingProgress?.currentStep ?? 1} of 3. Its key works already.
      </Text>
      <Group gap="xs">
        <StepsButton agent={agent} />
        <ConfirmButton
          label="Discard"
          title={`Discard ${name}?`}
          mutation={discard}
          onConfirm={() => discard.mutateAsync()}
          isDangerous
        >
          Its key stops working at once. What it has decided stays.
        </ConfirmButton>
      </Group>
    </Alert>
  );
}
