// The privacy budget: how much of it is spent on what, and statistics with noise that spend it.
import {
  Button,
  NumberInput,
  Progress,
  Select,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, readData } from '../../api/client.ts';
import type { components } from '../../api/schema.gen.d.ts';
import { ConfirmButton } from '../../parts/forms/confirm-button.tsx';
import { PageForm } from '../../parts/forms/form-dialog.tsx';
import { useChange } from '../../parts/forms/use-change.ts';
import { useStoredForm } from '../../parts/forms/use-stored-form.ts';
import { Figures } from '../../parts/layout/facts.tsx';
import { Section } from '../../parts/layout/section.tsx';
import { DataTable } from '../../parts/lists/data-table.tsx';
import { Page } from '../../parts/page.tsx';
import { QueryView } from '../../parts/states.tsx';
import { markInvisible } from '../../parts/text.tsx';
import { formatDuration, formatToMinute } from '../../parts/time.tsx';
import { Sign } from '../../parts/verdict.tsx';
import { useRights } from '../../session/session.ts';
import { BurnDownSection } from './burn-down-section.tsx';
import { ComplianceTabs } from './compliance-tabs.tsx';

type Budget = components['schemas']['PrivacyBudget'];
type Query = components['schemas']['NoisedQueryInput'];
type Answer = components['schemas']['NoisedAnswer'];

const LOOKS = {
  active: { tone: 'good', word: 'Open' },
  exhausted: { tone: 'bad', word: 'Spent' },
  paused: { tone: 'warning', word: 'Paused' },
} as const;

export function PrivacyPage(): ReactNode {
  const budget = useQuery({
    queryKey: ['privacy-budget'],
    queryFn: () => readData(api.GET('/api/v1/privacy-budget')),
  });
  const { mayWrite, mayManage } = useRights();
  return (
    <Page
      title="Privacy budget"
      lead="Statistics with noise added, so that no single decision can be recognised. Each question uses up budget."
    >
      <ComplianceTabs />
      <QueryView query={budget}>
        {(found) => (
          <Stack gap="md">
            <Burn budget={found} />
            {mayWrite && <Question />}
            {mayManage && <Caps budget={found} />}
          </Stack>
        )}
      </QueryView>
    </Page>
  );
}

function Burn({ budget }: { budget: Budget }): ReactNode {
  const { epsilonCap, epsilonSpent, spendByPurpose, status, windowResetsAt } = budget;
  const share = epsilonCap === 0 ? 100 : (100 * epsilonSpent) / epsilonCap;
  const purposes = Object.entries(spendByPurpose).toSorted(([, a], [, b]) => b - a);
  return (
    <>
      <Figures
        items={[
          { label: 'State', value: <Sign tone={LOOKS[status].tone}>{LOOKS[status].word}</Sign> },
          { label: 'Spent (ε)', value: epsilonSpent.toFixed(2), note: `of ${epsilonCap}` },
          {
            label: 'Left',
            value: Math.max(0, epsilonCap - epsilonSpent).toFixed(2),
            note: `${Math.max(0, 100 - share).toFixed(0)} %`,
          },
          {
            label: 'Window',
            value: formatDuration(budget.windowDurationMs),
            note: `begins again ${formatToMinute(windowResetsAt)}`,
          },
        ]}
      />
      <Progress
        size="lg"
        value={Math.min(100, share)}
        color={share >= 90 ? 'var(--assay-blocked)' : 'var(--assay-chart)'}
        aria-label="Spent share of the budget"
      />
      <BurnDownSection budget={budget} />
      {purposes.length > 0 && (
        <Section title="Spent on">
          <DataTable
            label="Spent by purpose"
            isPlain
            rows={purposes}
            toKey={([purpose]) => purpose}
            columns={[
              { title: 'Purpose', cell: ([purpose]) => markInvisible(purpose) },
              { title: 'Spent (ε)', isEnd: true, cell: ([, spent]) => spent.toFixed(3) },
            ]}
          />
        </Section>
      )}
    </>
  );
}

const METRICS = [
  { value: 'count', label: 'Number of decisions' },
  { value: 'meanConfidence', label: 'Mean confidence' },
];
const GROUPS = [
  { value: 'none', label: 'All together' },
  { value: 'agent', label: 'By agent' },
  { value: 'status', label: 'By verdict' },
];

function Question(): ReactNode {
  const form = useForm<Query>({
    initialValues: { metric: 'count', groupBy: 'status', epsilon: 0.1, purpose: '' },
  });
  const ask = useChange({
    change: (body: Query) => readData(api.POST('/api/v1/privacy-budget/query', { body })),
    refresh: ['privacy-budget'],
    form,
  });
  return (
    <Section
      title="Ask"
      lead="Each question uses up a part of the budget (ε). A smaller part adds more noise to the answer."
    >
      <PageForm
        submitLabel="Ask"
        mutation={ask}
        isChanged
        onSubmit={form.onSubmit((values) => ask.mutate(values))}
      >
        <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
          <Select
            label="Question"
            allowDeselect={false}
            data={METRICS}
            {...form.getInputProps('metric')}
          />
          <Select
            label="Grouped"
            allowDeselect={false}
            data={GROUPS}
            {...form.getInputProps('groupBy')}
          />
          <NumberInput label="Cost (ε)" min={0.01} step={0.1} {...form.getInputProps('epsilon')} />
        </SimpleGrid>
        <TextInput
          label="Purpose"
          description="Letters, digits and dashes, such as monthly-report"
          required
          {...form.getInputProps('purpose')}
        />
      </PageForm>
      {ask.data && <Answers answer={ask.data} />}
    </Section>
  );
}

function Answers({ answer }: { answer: Answer }): ReactNode {
  return (
    <DataTable
      label="Answer"
      isPlain
      rows={answer.groups}
      toKey={({ group }) => group}
      columns={[
        { title: 'Group', cell: ({ group }) => markInvisible(group) },
        {
          title: 'Value',
          isEnd: true,
          cell: ({ value }) => (value === null ? 'None' : value.toFixed(2)),
        },
        {
          title: 'Noise (standard deviation)',
          isEnd: true,
          cell: ({ standardDeviation = answer.standardDeviation }) =>
            standardDeviation === null ? '—' : standardDeviation.toFixed(2),
        },
      ]}
    />
  );
}

const DAY = 86_400_000;

function Caps({ budget }: { budget: Budget }): ReactNode {
  const { epsilonCap, windowDurationMs, status } = budget;
  const form = useStoredForm({ epsilonCap, days: windowDurationMs / DAY });
  const refresh = ['privacy-budget'];
  const save = useChange({
    change: ({ epsilonCap: cap, days }: typeof form.values) => {
      const body = { epsilonCap: cap, windowDurationMs: Math.round(days * DAY) };
      return readData(api.PATCH('/api/v1/privacy-budget/caps', { body }));
    },
    refresh,
    note: 'The budget is saved',
    form,
  });
  const pause = useChange({
    change: (paused: boolean) =>
      readData(api.PATCH('/api/v1/privacy-budget/caps', { body: { paused } })),
    refresh,
  });
  return (
    <Section
      title="Budget"
      actions={
        status === 'paused' ? (
          <Button size="xs" variant="default" onClick={() => pause.mutate(false)}>
            Answer again
          </Button>
        ) : (
          <ConfirmButton
            label="Pause"
            title="Pause the statistics?"
            mutation={pause}
            onConfirm={() => pause.mutateAsync(true)}
          >
            <Text size="sm">No question is answered until an owner or admin ends the pause.</Text>
          </ConfirmButton>
        )
      }
    >
      <PageForm
        mutation={save}
        isChanged={form.isDirty()}
        onSubmit={form.onSubmit((values) => save.mutate(values))}
      >
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          <NumberInput
            label="Budget (ε) of a window"
            min={0}
            step={1}
            {...form.getInputProps('epsilonCap')}
          />
          <NumberInput label="Days of a window" min={0} {...form.getInputProps('days')} />
        </SimpleGrid>
      </PageForm>
    </Section>
  );
}
