// One group: what stops its decisions, how many there are by day, and what can be done with them.
import { Group, Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { ButtonLink, TextLink } from '../../parts/links.tsx';
import { markInvisible, StoredLine } from '../../parts/text.tsx';
import { Ago } from '../../parts/time.tsx';
import { formatCount } from '../../parts/words.ts';
import { useRights } from '../../session/session.ts';
import { DayBars } from './day-bars.tsx';
import { DecideGroup } from './decide-group.tsx';
import type { DecisionGroup } from './group-queries.ts';
import { MuteButton } from './mute-button.tsx';

export function GroupCard({ group }: { group: DecisionGroup }): ReactNode {
  const { mayDecide } = useRights();
  const { policy, tools, newest, waiting, lastAt, firstAt, days, muted } = group;
  const title = tools.length > 0 ? tools.join(', ') : 'Actions that are texts';
  return (
    <Paper p="md" component="section" aria-label={`${title}: ${policy?.reason ?? 'no reason'}`}>
      <Group justify="space-between" align="flex-start" gap="md">
        <Stack gap={4} flex="1 1 320px" miw={0}>
          <Title order={2} size="h3" ff={tools.length > 0 ? 'monospace' : undefined}>
            <StoredLine value={title} />
          </Title>
          <Reason group={group} />
          <Group gap="xs">
            <Counts group={group} />
            <Text size="sm" c="dimmed">
              {group.count > 1 && (
                <>
                  from <Ago at={firstAt} /> to{' '}
                </>
              )}
              <Ago at={lastAt} />
            </Text>
          </Group>
        </Stack>
        <DayBars days={days} />
      </Group>
      <Group gap="xs" mt="sm">
        {waiting > 0 && mayDecide && <DecideGroup group={group} />}
        {waiting > 0 && (
          <ButtonLink
            variant="default"
            size="xs"
            to="/review/{-$traceId}"
            params={{}}
            search={{ group: group.group }}
          >
            Open in the queue
          </ButtonLink>
        )}
        {tools[0] !== undefined && (
          <ButtonLink
            variant="default"
            size="xs"
            to="/policies/$policyId"
            params={{ policyId: 'new' }}
            search={{ tool: tools[0] }}
          >
            Make a policy
          </ButtonLink>
        )}
        {mayDecide && <MuteButton group={group} />}
        <Samples traceIds={newest} />
      </Group>
      {muted && (
        <Text size="sm" c="dimmed" mt="xs">
          Muted; it is listed again <Ago at={muted.until} />.
        </Text>
      )}
    </Paper>
  );
}

function Reason({ group: { policy, policyId } }: { group: DecisionGroup }): ReactNode {
  if (policy === null)
    return (
      <Text size="sm" c="dimmed">
        What stopped it is erased.
      </Text>
    );
  const name = markInvisible(policy.name);
  return (
    <>
      <Text size="sm">{markInvisible(policy.reason)}</Text>
      <Text size="sm" c="dimmed" component="div">
        Policy:{' '}
        {policyId === null ? (
          name
        ) : (
          <TextLink to="/policies/$policyId" params={{ policyId }} size="sm">
            {name}
          </TextLink>
        )}
      </Text>
    </>
  );
}

const COUNTS = [
  ['waiting', 'waits', 'wait', 'held'],
  ['blocked', 'blocked', 'blocked', 'blocked'],
  ['approved', 'approved by a person', 'approved by people', 'approved'],
] as const;

function Counts({ group }: { group: DecisionGroup }): ReactNode {
  return (
    <>
      <Text size="sm" fw={600}>
        {formatCount(group.count, 'decision')}
      </Text>
      {COUNTS.filter(([name]) => group[name] > 0).map(([name, one, many, colour]) => (
        <Text key={name} size="sm" fw={600} c={`var(--assay-${colour})`}>
          {group[name].toLocaleString('en')} {group[name] === 1 ? one : many}
        </Text>
      ))}
    </>
  );
}

/** The newest decisions, each to open. */
const Samples = ({ traceIds }: { traceIds: readonly string[] }): ReactNode => (
  <Text size="sm" c="dimmed" component="div">
    Newest:{' '}
    {traceIds.map((traceId, at) => (
      <span key={traceId}>
        {at > 0 && ', '}
        <TextLink to="/decisions/$traceId" params={{ traceId }} size="sm">
          {at + 1}
        </TextLink>
      </span>
    ))}
  </Text>
);
