// The approvals of an item that several people have to approve: what each step asks for, and who has approved what.
import { Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { membersQuery } from '../../../api/shared-queries.ts';
import { markInvisible, StoredLine } from '../../../parts/text.tsx';
import { Ago } from '../../../parts/time.tsx';
import type { ReviewItem } from '../review-queries.ts';

type Approvals = NonNullable<ReviewItem['approvals']>;
type Step = Approvals['steps'][number];
type Vote = Approvals['votes'][number];

export function Votes({ approvals }: { approvals: Approvals }): ReactNode {
  const { data: members = [] } = useQuery(membersQuery);
  const toName = (userId: string): string =>
    members.find((member) => member.userId === userId)?.name ?? userId;
  return (
    <Stack gap={4} component="section" aria-label="Approvals">
      <Title order={2} size="h3" mb={2}>
        Approvals
      </Title>
      {approvals.steps.map((step, at) => (
        <Group key={at} gap={6}>
          <Text size="sm" fw={600}>
            {step.given} of {step.count}
          </Text>
          <Text size="sm">
            {markInvisible(describeGroup(step, toName))}
            {step.escalated && ': too few are left, so owners approve'}
          </Text>
        </Group>
      ))}
      {approvals.inOrder && (
        <Text size="sm" c="dimmed">
          In this order.
        </Text>
      )}
      {approvals.edits != null && (
        <Group gap={6}>
          <Text size="sm" fw={600}>
            Edits
          </Text>
          <StoredLine value={approvals.edits} />
        </Group>
      )}
      {approvals.votes.map((vote) => (
        <VoteLine key={vote.sequence} vote={vote} name={describeVoter(vote, toName)} />
      ))}
    </Stack>
  );
}

function VoteLine({ vote, name }: { vote: Vote; name: string }): ReactNode {
  const { at, step, reason, edited } = vote;
  return (
    <Group gap={6}>
      <Text size="sm" td={step === null ? 'line-through' : undefined}>
        {markInvisible(name)} approved it{edited && ' with edits'}
      </Text>
      <Ago at={at} />
      {step === null && (
        <Text size="sm" c="dimmed">
          It does not count any more.
        </Text>
      )}
      {reason !== null && <StoredLine value={reason} />}
    </Group>
  );
}

const describeVoter = ({ userId, delegator }: Vote, toName: (userId: string) => string): string =>
  delegator === null ? toName(userId) : `${toName(userId)}, in the place of ${toName(delegator)},`;

function describeGroup(step: Step, toName: (userId: string) => string): string {
  const { name, roles, people, agentOwner } = step;
  const parts = [
    ...roles.map((role) => `any ${role}`),
    ...(agentOwner ? ['the owner of the agent'] : []),
    ...people.map(toName),
  ];
  return name === null ? parts.join(', ') : `${name}: ${parts.join(', ')}`;
}
