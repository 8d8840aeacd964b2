// The clauses of a framework: what is covered, by which evidence, attested by whom.
import { Button, Group, Progress, Select, Stack, Text, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { api, readData } from '../../api/client.ts';
import type { components } from '../../api/schema.gen.d.ts';
import { FormDialog } from '../../parts/forms/form-dialog.tsx';
import { useChange } from '../../parts/forms/use-change.ts';
import { Figures } from '../../parts/layout/facts.tsx';
import { DataTable, RowActions } from '../../parts/lists/data-table.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, QueryView } from '../../parts/states.tsx';
import { markInvisible } from '../../parts/text.tsx';
import { formatToMinute } from '../../parts/time.tsx';
import { Sign } from '../../parts/verdict.tsx';
import { useRights } from '../../session/session.ts';
import { ClauseProof, createProofsQuery } from './clause-proofs.tsx';
import { ComplianceTabs } from './compliance-tabs.tsx';
import { ReportsSection } from './reports-section.tsx';
import { CLAUSE_STATUSES, type FRAMEWORKS } from './compliance.route.ts';

const route = getRouteApi('/session/compliance');

type Framework = (typeof FRAMEWORKS)[number];
type Mapping = components['schemas']['ComplianceMapping'];
type Note = Mapping['notes'][number];

/** A clause with what the organisation attests of it; what none attests is a gap. */
interface Clause {
  clauseId: string;
  title: string;
  description: string;
  status: Note['status'];
  note: Note | undefined;
}

const FRAMEWORK_NAMES: Readonly<Record<Framework, string>> = {
  'iso-42001': 'ISO/IEC 42001',
  'eu-ai-act': 'EU AI Act',
  'nist-rmf': 'NIST AI RMF',
};
const LOOKS = {
  covered: { tone: 'good', word: 'Covered' },
  partial: { tone: 'warning', word: 'In part' },
  gap: { tone: 'bad', word: 'Gap' },
  'not-applicable': { tone: 'neutral', word: 'Not applicable' },
} as const;

const STATUS_CHOICES = CLAUSE_STATUSES.map((value) => ({ value, label: LOOKS[value].word }));

function joinNotes({ clauses, notes }: Mapping): Clause[] {
  const byClause = new Map(notes.map((note) => [note.clauseId, note]));
  return clauses.map((clause) => {
    const note = byClause.get(clause.clauseId);
    return { ...clause, note, status: note?.status ?? 'gap' };
  });
}

export function ClausesPage(): ReactNode {
  const { framework = 'iso-42001' } = route.useSearch();
  const mapping = useQuery({
    queryKey: ['compliance', framework],
    queryFn: () =>
      readData(api.GET('/api/v1/compliance/mapping', { params: { query: { framework } } })),
  });
  return (
    <Page title="Compliance" lead="What each framework asks for, and what you can show for it.">
      <ComplianceTabs />
      <Filters />
      <QueryView query={mapping}>{(found) => <Matrix mapping={found} />}</QueryView>
      {mapping.data && <ReportsSection framework={framework} />}
    </Page>
  );
}

function Filters(): ReactNode {
  const { framework = 'iso-42001', status } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <Group gap="xs">
      <Select
        flex="1 1 140px"
        maw={{ sm: 220 }}
        label="Framework"
        allowDeselect={false}
        data={Object.entries(FRAMEWORK_NAMES).map(([value, label]) => ({ value, label }))}
        value={framework}
        onChange={(value) =>
          void navigate({ search: (known) => ({ ...known, framework: value as Framework }) })
        }
      />
      <Select
        flex="1 1 140px"
        maw={{ sm: 220 }}
        label="Status"
        placeholder="All"
        clearable
        data={STATUS_CHOICES}
        value={status ?? null}
        onChange={(value) =>
          void navigate({
            search: (known) => ({ ...known, status: (value as Note['status']) ?? undefined }),
            replace: true,
          })
        }
      />
    </Group>
  );
}

function Matrix({ mapping }: { mapping: Mapping }): ReactNode {
  const { status } = route.useSearch();
  const clauses = joinNotes(mapping).filter((clause) => !status || clause.status === status);
  const { data: proofs } = useQuery(createProofsQuery(mapping.framework));
  const [attested, setAttested] = useState<Clause | null>(null);
  const { mayManage } = useRights();
  return (
    <Stack gap="md">
      <Coverage coverage={mapping.coverage} />
      {clauses.length === 0 ? (
        <Empty icon="compliance" title="No clause is like that">
          Choose another status to see more.
        </Empty>
      ) : (
        <DataTable
          label="Clauses"
          rows={clauses}
          toKey={({ clauseId }) => clauseId}
          columns={[
            {
              title: 'Clause',
              cell: ({ clauseId, title, description }) => (
                <>
                  <Text size="sm" fw={550}>
                    {clauseId} {title}
                  </Text>
                  <Text size="xs" c="dimmed">
                    {description}
                  </Text>
                </>
              ),
            },
            {
              title: 'Measured',
              cell: ({ clauseId }) => <ClauseProof proofs={proofs} clauseId={clauseId} />,
            },
            {
              title: 'Attested',
              cell: ({ status: is }) => <Sign tone={LOOKS[is].tone}>{LOOKS[is].word}</Sign>,
            },
            ...(clauses.some(({ note }) => note)
              ? [{ title: 'Evidence', cell: ({ note }: Clause) => <Evidence note={note} /> }]
              : []),
            ...(mayManage
              ? [
                  {
                    title: 'Actions',
                    isTitleHidden: true,
                    isEnd: true,
                    cell: (clause: Clause) => (
                      <RowActions>
                        <Button
                          variant="default"
                          size="xs"
                          onClick={() => setAttested(clause)}
                          aria-label={`Attest ${clause.clauseId}`}
                        >
                          Attest
                        </Button>
                      </RowActions>
                    ),
                  },
                ]
              : []),
          ]}
        />
      )}
      {attested && (
        <AttestDialog
          framework={mapping.framework}
          clause={attested}
          onClose={() => setAttested(null)}
        />
      )}
    </Stack>
  );
}

function Coverage({ coverage }: { coverage: Mapping['coverage'] }): ReactNode {
  const { covered, partial, gap, notApplicable, total } = coverage;
  const toShare = (count: number): number => (total === 0 ? 0 : (100 * count) / total);
  return (
    <Stack gap="xs">
      <Figures
        items={[
          { label: 'Covered', value: covered, note: `of ${total}` },
          { label: 'In part', value: partial },
          { label: 'Gaps', value: gap },
          { label: 'Not applicable', value: notApplicable },
        ]}
      />
      <Progress.Root size="lg" mt={4} aria-hidden="true">
        <Progress.Section value={toShare(covered)} color="var(--assay-approved)" />
        <Progress.Section value={toShare(partial)} color="var(--assay-held)" />
        <Progress.Section value={toShare(notApplicable)} color="var(--assay-neutral)" />
      </Progress.Root>
    </Stack>
  );
}

function Evidence({ note }: { note: Note | undefined }): ReactNode {
  if (!note) return null;
  return (
    <>
      {note.evidence !== null && (
        <Text size="sm" lineClamp={3}>
          {markInvisible(note.evidence)}
        </Text>
      )}
      {note.reviewedAt !== null && (
        <Text size="xs" c="dimmed">
          {note.reviewedByEmail ?? 'A former member'}, {formatToMinute(note.reviewedAt)}
        </Text>
      )}
    </>
  );
}

interface AttestProps {
  framework: Framework;
  clause: Clause;
  onClose: () => void;
}

function AttestDialog({ framework, clause, onClose }: AttestProps): ReactNode {
  const { clauseId, title, note } = clause;
  const form = useForm({
    initialValues: { status: clause.status, evidence: note?.evidence ?? '' },
  });
  const attest = useChange({
    change: (values: typeof form.values) =>
      readData(
        api.PATCH('/api/v1/compliance/mapping', { body: { framework, clauseId, ...values } }),
      ),
    refresh: ['compliance'],
    note: `${clauseId} is attested`,
    onDone: onClose,
    form,
  });
  return (
    <FormDialog
      isOpen
      isLarge
      title={`${clauseId} ${title}`}
      submitLabel="Attest"
      mutation={attest}
      onClose={onClose}
      onSubmit={form.onSubmit((values) => attest.mutate(values))}
    >
      <Text size="sm" c="dimmed">
        Your name and the time are sealed into the chain with it.
      </Text>
      <Select
        label="Status"
        allowDeselect={false}
        data={STATUS_CHOICES}
        {...form.getInputProps('status')}
      />
      <Textarea
        label="Evidence"
        description="What shows it, such as a policy, a document, the id of a decision"
        autosize
        minRows={4}
        maxLength={4000}
        data-autofocus
        {...form.getInputProps('evidence')}
      />
    </FormDialog>
  );
}
