// Patterns that people keep approving: what the service could approve, and how often a person would still be asked.
import { Group, NumberInput, Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { agentsQuery, policiesQuery, workspacesQuery } from '../../api/shared-queries.ts';
import { Figures } from '../../parts/layout/facts.tsx';
import { Section } from '../../parts/layout/section.tsx';
import { ButtonLink, TextLink } from '../../parts/links.tsx';
import { type Column, DataTable } from '../../parts/lists/data-table.tsx';
import { QueryView } from '../../parts/states.tsx';
import { markInvisible } from '../../parts/text.tsx';
import { Ago } from '../../parts/time.tsx';
import { Sign } from '../../parts/verdict.tsx';
import { formatCount } from '../../parts/words.ts';
import { useRights } from '../../session/session.ts';
import {
  APPROVALS,
  type Bar,
  DAYS,
  estimateSavings,
  findStage,
  measureProgress,
  type Pattern,
  SAMPLED,
} from './maturity.ts';
import { patternsQuery } from './oversight-queries.ts';

const route = getRouteApi('/session/oversight');
const DEFAULTS: Bar = { approvals: 50, days: 14 };

const clamp = (value: number, { min, max }: { min: number; max: number }): number =>
  Math.min(max, Math.max(min, value));

/** What is asked of a pattern: by the address, or what is usual. */
function useBar(): Bar {
  const { approvals = DEFAULTS.approvals, days = DEFAULTS.days } = route.useSearch();
  return { approvals: clamp(approvals, APPROVALS), days: clamp(days, DAYS) };
}

export function Automation(): ReactNode {
  const query = useQuery(patternsQuery);
  const { mayManage } = useRights();
  return (
    <Section
      title="What could be automated"
      lead="Held decisions that are alike have a pattern. What people keep approving, the service could approve for them, if a workspace wants it."
      actions={
        mayManage && (
          <ButtonLink to="/settings/workspaces" variant="default" size="xs">
            Settings of the workspaces
          </ButtonLink>
        )
      }
    >
      <QueryView query={query}>
        {({ patterns, total }) =>
          patterns.length === 0 ? (
            <Text size="sm" c="dimmed">
              No pattern yet. When people decide held decisions of a registered agent, those with
              the same tool, policies and size of amount are counted together here.
            </Text>
          ) : (
            <Patterns patterns={patterns} total={total} />
          )
        }
      </QueryView>
    </Section>
  );
}

function Patterns({ patterns, total }: { patterns: Pattern[]; total: number }): ReactNode {
  const bar = useBar();
  // The time of the visit: what ripens later is seen at the next.
  const now = Date.now();
  const inOrder = patterns.toSorted((one, other) => other.approvals - one.approvals);
  return (
    <Stack gap="md">
      <BarFields bar={bar} />
      <Outcome patterns={patterns} bar={bar} now={now} />
      <PatternTable patterns={inOrder} bar={bar} now={now} />
      {total > patterns.length && (
        <Text size="xs" c="dimmed">
          The {patterns.length} patterns that were judged last, of {total.toLocaleString('en')}.
        </Text>
      )}
      <Settled />
    </Stack>
  );
}

function BarFields({ bar }: { bar: Bar }): ReactNode {
  const navigate = route.useNavigate();
  const change = (name: keyof Bar) => (value: number | string) =>
    void navigate({
      search: (known) => ({ ...known, [name]: Number(value) || undefined }),
      replace: true,
      resetScroll: false,
    });
  return (
    <Group gap="sm" align="flex-end">
      <NumberInput
        label="Approvals in a row"
        w={150}
        {...APPROVALS}
        defaultValue={bar.approvals}
        onChange={change('approvals')}
      />
      <NumberInput
        label="Over at least days"
        w={150}
        {...DAYS}
        defaultValue={bar.days}
        onChange={change('days')}
      />
    </Group>
  );
}

interface BarredProps {
  patterns: readonly Pattern[];
  bar: Bar;
  now: number;
}

const formatWeekly = (count: number): string =>
  count.toLocaleString('en', { maximumFractionDigits: count < 10 ? 1 : 0 });

function Outcome({ patterns, bar, now }: BarredProps): ReactNode {
  const { ripe, saved, asked } = estimateSavings(patterns, bar, now);
  const automatic = patterns.filter(({ isAutoApproved }) => isAutoApproved).length;
  return (
    <div role="status">
      <Figures
        items={[
          {
            label: 'Could be automated',
            value: ripe,
            note: `of ${formatCount(patterns.length, 'pattern')}`,
          },
          {
            label: 'Reviews saved a week',
            value: formatWeekly(saved),
            note: 'at the present pace',
          },
          {
            label: 'Still asked a week',
            value: formatWeekly(asked),
            note: `one in ${SAMPLED}, and all that is critical`,
          },
          { label: 'Automatic already', value: automatic, note: 'approved by the service' },
        ]}
      />
    </div>
  );
}

const STAGES = {
  automatic: { tone: 'good', word: 'Automatic' },
  ripe: { tone: 'good', word: 'Could be' },
  maturing: { tone: 'neutral', word: 'Maturing' },
  objected: { tone: 'bad', word: 'Objected to' },
  stale: { tone: 'warning', word: 'Not seen of late' },
} as const;

function PatternTable({ patterns, bar, now }: BarredProps): ReactNode {
  const { data: agents = [] } = useQuery(agentsQuery);
  const { data: policies = [] } = useQuery(policiesQuery);
  const names = new Map([
    ...agents.map(({ _id, name }) => [_id, name] as const),
    ...policies.map(({ id, name }) => [id, name] as const),
  ]);
  const columns: readonly Column<Pattern>[] = [
    {
      title: 'Pattern',
      cell: ({ agentId, policyIds }) => (
        <>
          <Text size="sm" fw={550}>
            {markInvisible(names.get(agentId) ?? 'a removed agent')}
          </Text>
          <Text size="xs" c="dimmed">
            {policyIds.map((id) => markInvisible(names.get(id) ?? 'a removed policy')).join(', ')}
          </Text>
        </>
      ),
    },
    {
      title: 'Approvals in a row',
      cell: (pattern) => (
        <Stack gap={4} w={120}>
          <span className="numbers">
            {pattern.approvals} of {bar.approvals}
          </span>
          <Progress
            value={measureProgress(pattern, bar, now)}
            aria-label={`Maturity of a pattern of ${names.get(pattern.agentId) ?? 'an agent'}`}
          />
        </Stack>
      ),
    },
    { title: 'Since', isShort: true, cell: ({ since }) => (since ? <Ago at={since} /> : '—') },
    {
      title: 'Judged last',
      isShort: true,
      cell: ({ lastVerdictAt }) => <Ago at={lastVerdictAt} />,
    },
    {
      title: 'State',
      isShort: true,
      cell: (pattern) => {
        const { tone, word } = STAGES[findStage(pattern, bar, now)];
        return <Sign tone={tone}>{word}</Sign>;
      },
    },
    {
      title: 'Example',
      isEnd: true,
      cell: ({ exampleTraceId: traceId }) => (
        <TextLink to="/decisions/$traceId" params={{ traceId }} size="sm">
          Its last decision
        </TextLink>
      ),
    },
  ];
  return (
    <DataTable
      label="Patterns"
      isPlain
      rows={patterns}
      toKey={({ _id }) => _id}
      columns={columns}
    />
  );
}

/** What the workspaces ask for today. */
function Settled(): ReactNode {
  const { data: workspaces = [] } = useQuery(workspacesQuery);
  const automatic = workspaces.filter(({ autoApproval }) => autoApproval !== null);
  if (automatic.length === 0)
    return (
      <Text size="sm" c="dimmed">
        No workspace has its patterns approved automatically: people decide all that is held.
      </Text>
    );
  return (
    <Stack gap={2}>
      {automatic.map(({ _id, name, autoApproval }) => (
        <Text key={_id} size="sm" c="dimmed">
          {markInvisible(name)} approves after {autoApproval?.approvals} approvals over{' '}
          {autoApproval?.days} days.
        </Text>
      ))}
    </Stack>
  );
}
