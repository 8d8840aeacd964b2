// Reports of compliance as PDF: made now, or by a schedule that mails them to members.
import { Button, Group, MultiSelect, Select, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, readData } from '../../api/client.ts';
import type { components } from '../../api/schema.gen.d.ts';
import { membersQuery } from '../../api/shared-queries.ts';
import { PageForm } from '../../parts/forms/form-dialog.tsx';
import { useChange } from '../../parts/forms/use-change.ts';
import { useStoredForm } from '../../parts/forms/use-stored-form.ts';
import { SaveButton } from '../../parts/layout/save-button.tsx';
import { Section } from '../../parts/layout/section.tsx';
import { DataTable } from '../../parts/lists/data-table.tsx';
import { formatToMinute } from '../../parts/time.tsx';
import { useRights } from '../../session/session.ts';

type Framework = components['schemas']['ReportInput']['framework'];
type Schedule = components['schemas']['ReportSchedule'];

const PERIODS = [
  { value: 'never', label: 'Never' },
  { value: 'week', label: 'Every Monday' },
  { value: 'month', label: 'On the first of a month' },
];
const SHOWN = 5;

export function ReportsSection({ framework }: { framework: Framework }): ReactNode {
  const { mayManage } = useRights();
  const { data: reports = [] } = useQuery({
    queryKey: ['compliance', 'reports'],
    queryFn: () => readData(api.GET('/api/v1/compliance/reports')),
  });
  const { data: schedule } = useQuery({
    queryKey: ['compliance', 'report-schedule'],
    queryFn: () => readData(api.GET('/api/v1/compliance/report-schedule')),
  });
  const make = useChange({
    change: () => readData(api.POST('/api/v1/compliance/reports', { body: { framework } })),
    refresh: ['compliance'],
    note: 'The report is made',
  });
  return (
    <Section
      title="Reports"
      lead="What is measured and attested for each clause, as PDF. A schedule mails it to members."
      actions={
        mayManage && (
          <Button
            size="xs"
            variant="default"
            loading={make.isPending}
            onClick={() => make.mutate(undefined)}
          >
            Make a report
          </Button>
        )
      }
    >
      {reports.length > 0 && <Reports reports={reports.slice(0, SHOWN)} />}
      {schedule && !mayManage && <Plan schedule={schedule} />}
      {schedule && mayManage && <ScheduleForm schedule={schedule} framework={framework} />}
    </Section>
  );
}

function Reports({ reports }: { reports: components['schemas']['MeasuredReport'][] }): ReactNode {
  return (
    <DataTable
      label="Reports"
      isPlain
      rows={reports}
      toKey={({ id }) => id}
      columns={[
        { title: 'Made', cell: ({ createdAt }) => formatToMinute(createdAt) },
        { title: 'Framework', cell: ({ framework }) => framework },
        {
          title: 'Clauses shown',
          cell: ({ shown, notShown, cannotTell }) => `${shown} of ${shown + notShown + cannotTell}`,
        },
        {
          title: 'PDF',
          isEnd: true,
          cell: ({ id }) => (
            <SaveButton path={`/api/v1/compliance/reports/${id}/pdf`}>Save as PDF</SaveButton>
          ),
        },
      ]}
    />
  );
}

function Plan({ schedule: { every, nextAt } }: { schedule: Schedule }): ReactNode {
  if (nextAt === null) return null;
  const word = PERIODS.find(({ value }) => value === every)?.label;
  return (
    <Text size="sm" c="dimmed">
      {word}; next {formatToMinute(nextAt)}
    </Text>
  );
}

interface ScheduleProps {
  schedule: Schedule;
  framework: Framework;
}

function ScheduleForm({ schedule, framework }: ScheduleProps): ReactNode {
  const { data: members = [] } = useQuery(membersQuery);
  const form = useStoredForm({ every: schedule.every, recipients: schedule.recipients });
  const save = useChange({
    change: (values: typeof form.values) =>
      readData(
        api.PUT('/api/v1/compliance/report-schedule', {
          body: { ...values, framework: schedule.framework ?? framework },
        }),
      ),
    refresh: ['compliance'],
    note: 'The schedule is saved',
    form,
  });
  return (
    <PageForm
      mutation={save}
      isChanged={form.isDirty()}
      onSubmit={form.onSubmit((values) => save.mutate(values))}
    >
      <Plan schedule={schedule} />
      <Group align="flex-start" gap="sm" grow preventGrowOverflow={false}>
        <Select
          label="Send a report"
          allowDeselect={false}
          data={PERIODS}
          {...form.getInputProps('every')}
        />
        <MultiSelect
          label="To members"
          searchable
          maxValues={20}
          data={members.map(({ userId, name, email }) => ({
            value: userId,
            label: `${name} (${email})`,
          }))}
          {...form.getInputProps('recipients')}
        />
      </Group>
    </PageForm>
  );
}
