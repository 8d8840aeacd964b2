// Impact assessments (FRIA): which systems have one, and how far each has come.
import { Button, Progress, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { api, readData, readEnvelope } from '../../../api/client.ts';
import { FormDialog } from '../../../parts/forms/form-dialog.tsx';
import { useChange } from '../../../parts/forms/use-change.ts';
import { Icon } from '../../../parts/icons.tsx';
import { type Column, DataTable } from '../../../parts/lists/data-table.tsx';
import { createPagedQuery, ShowMore } from '../../../parts/lists/paged-list.tsx';
import { RowLink } from '../../../parts/lists/row-link.tsx';
import { Page } from '../../../parts/page.tsx';
import { Empty, QueryView } from '../../../parts/states.tsx';
import { markInvisible } from '../../../parts/text.tsx';
import { Ago } from '../../../parts/time.tsx';
import { Sign } from '../../../parts/verdict.tsx';
import { useRights } from '../../../session/session.ts';
import { type Assessment, STATUS_LOOKS } from './assessment-texts.ts';
import { ComplianceTabs } from '../compliance-tabs.tsx';

const listQuery = createPagedQuery<Assessment>(['assessments', 'list'], (page, signal) => {
  const query = { page, limit: 100 };
  return readEnvelope(api.GET('/api/v1/fria', { params: { query }, signal }));
});

const COLUMNS: readonly Column<Assessment>[] = [
  {
    title: 'System',
    cell: ({ _id: assessmentId, systemName }) => (
      <RowLink to="/compliance/assessments/$assessmentId" params={{ assessmentId }}>
        {markInvisible(systemName)}
      </RowLink>
    ),
  },
  {
    title: 'Status',
    cell: ({ status }) => <Sign tone={STATUS_LOOKS[status].tone}>{STATUS_LOOKS[status].word}</Sign>,
  },
  {
    title: 'Complete',
    cell: ({ completenessScore, systemName }) => (
      <Stack gap={4} w={120}>
        <span className="numbers">{completenessScore} %</span>
        <Progress value={completenessScore} aria-label={`Completeness of ${systemName}`} />
      </Stack>
    ),
  },
  { title: 'Risks', isEnd: true, cell: ({ identifiedRisks }) => identifiedRisks.length },
  { title: 'Changed', isEnd: true, cell: ({ updatedAt }) => <Ago at={updatedAt} /> },
];

export function AssessmentsPage(): ReactNode {
  const list = useInfiniteQuery(listQuery);
  const { mayWrite } = useRights();
  return (
    <Page
      title="Impact assessments"
      lead="Effects on fundamental rights, as article 27 of the EU AI Act asks of deployers."
      actions={mayWrite && <Creation />}
    >
      <ComplianceTabs />
      <QueryView query={list}>
        {(assessments) =>
          assessments.length === 0 ? (
            <Empty icon="compliance" title="No assessments yet">
              Eight questions about a system: what it is for, whom it affects, which risks it has,
              who oversees it. The approved text is sealed into the chain.
            </Empty>
          ) : (
            <Stack gap="sm">
              <DataTable
                label="Impact assessments"
                rows={assessments}
                toKey={({ _id }) => _id}
                columns={COLUMNS}
              />
              <ShowMore list={list} />
            </Stack>
          )
        }
      </QueryView>
    </Page>
  );
}

function Creation(): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const navigate = useNavigate();
  const form = useForm({ initialValues: { systemName: '' } });
  const create = useChange({
    change: (body: { systemName: string }) => readData(api.POST('/api/v1/fria', { body })),
    refresh: ['assessments'],
    form,
    onDone: ({ _id: assessmentId }) =>
      void navigate({ to: '/compliance/assessments/$assessmentId', params: { assessmentId } }),
  });
  return (
    <>
      <Button size="xs" leftSection={<Icon name="plus" size={14} />} onClick={() => setOpen(true)}>
        Begin an assessment
      </Button>
      <FormDialog
        isOpen={isOpen}
        title="Begin an assessment"
        submitLabel="Begin"
        mutation={create}
        onClose={() => setOpen(false)}
        onSubmit={form.onSubmit((values) => create.mutate(values))}
      >
        <TextInput
          label="Name of the system"
          required
          data-autofocus
          maxLength={200}
          {...form.getInputProps('systemName')}
        />
      </FormDialog>
    </>
  );
}
