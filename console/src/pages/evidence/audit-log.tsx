// The audit log: who did what here, filtered by the address, verified, and handed on as a file.
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, readData } from '../../api/client.ts';
import type { components } from '../../api/schema.gen.d.ts';
import { membersQuery } from '../../api/shared-queries.ts';
import { SaveButton } from '../../parts/layout/save-button.tsx';
import { Section } from '../../parts/layout/section.tsx';
import { ButtonLink } from '../../parts/links.tsx';
import { type Column, DataTable, RowActions } from '../../parts/lists/data-table.tsx';
import { ThingName } from '../../parts/record/thing-name.tsx';
import { Empty, Problem, QueryView } from '../../parts/states.tsx';
import { markInvisible } from '../../parts/text.tsx';
import { Ago } from '../../parts/time.tsx';
import { Sign } from '../../parts/verdict.tsx';
import { toTitle } from '../../parts/words.ts';
import { useRights } from '../../session/session.ts';
import { AuditEntryDetails } from './audit-entry.tsx';
import { AuditFilters, useAuditFilters } from './audit-filters.tsx';
import { createAuditQuery } from './evidence-queries.ts';

const route = getRouteApi('/session/evidence');

type Entry = components['schemas']['AuditEntry'];

export function AuditLog(): ReactNode {
  const { mayManage } = useRights();
  const { before } = route.useSearch();
  const filters = useAuditFilters();
  const list = useQuery({
    ...createAuditQuery({ ...filters, ...(before && { beforeSeq: before }) }),
    enabled: mayManage,
  });
  if (!mayManage)
    return (
      <Empty icon="evidence" title="Audit log">
        Owners and admins read who did what here.
      </Empty>
    );
  return (
    <Stack gap="md">
      <Handover filters={filters} />
      <AuditFilters />
      <QueryView query={list}>
        {({ entries, pagination: { hasMore } }) => (
          <>
            <Entries entries={entries} />
            <Places last={hasMore ? entries.at(-1)?.sequence : undefined} />
          </>
        )}
      </QueryView>
    </Stack>
  );
}

/** What people call it otherwise. */
const WORDS: Readonly<Record<string, string>> = {
  trace: 'decision',
  apiKey: 'key',
  fria: 'assessment',
};

/** As `policy_approval`, as people write it. */
const toWords = (resource: string): string => WORDS[resource] ?? resource.replaceAll(/[_-]/g, ' ');

function Entries({ entries }: { entries: readonly Entry[] }): ReactNode {
  const { data: members = [] } = useQuery(membersQuery);
  const names = new Map(members.map(({ userId, name }) => [userId, name]));
  const places = new Map(entries.map(({ sequence }, at) => [sequence, at]));
  const columns: readonly Column<Entry>[] = [
    {
      title: 'Who',
      cell: ({ userId, userEmail, userRole }) => (
        <>
          <Text size="sm" fw={550}>
            {markInvisible(names.get(userId ?? '') ?? userEmail ?? 'The service, or a key')}
          </Text>
          {userId !== null && (
            <Text size="xs" c="dimmed">
              {toTitle(userRole)}
            </Text>
          )}
        </>
      ),
    },
    {
      title: 'Did',
      cell: ({ action, detail }) => (
        <div>
          <Text size="sm" ff="monospace">
            {markInvisible(action)}
          </Text>
          {detail !== null && (
            <Text size="xs" c="dimmed" lineClamp={2}>
              {markInvisible(detail)}
            </Text>
          )}
        </div>
      ),
    },
    {
      title: 'On',
      cell: ({ resource, resourceId, sequence }) => (
        <Text size="sm" lineClamp={2} component="div">
          {markInvisible(toWords(resource ?? ''))}{' '}
          {resourceId !== null && (
            <ThingName kind={resource ?? ''} id={resourceId} at={places.get(sequence) ?? 0} />
          )}
        </Text>
      ),
    },
    {
      title: 'Outcome',
      isShort: true,
      cell: ({ status }) => (
        <Sign tone={status === 'success' ? 'good' : 'bad'}>
          {status === 'success' ? 'Done' : 'Refused'}
        </Sign>
      ),
    },
    { title: 'When', isEnd: true, isShort: true, cell: ({ createdAt }) => <Ago at={createdAt} /> },
    {
      title: 'Details',
      isTitleHidden: true,
      cell: (entry) => (
        <RowActions>
          <AuditEntryDetails entry={entry} />
        </RowActions>
      ),
    },
  ];
  if (entries.length === 0)
    return (
      <Empty icon="filter" title="No entry fits">
        What people and keys change here is an entry: sign-ins, settings, keys, verdicts, exports.
        Remove a filter to see more.
      </Empty>
    );
  return (
    <DataTable
      label="Audit log"
      rows={entries}
      toKey={({ sequence }) => String(sequence)}
      columns={columns}
    />
  );
}

/** Where in the log one is: the place is a sequence, so that it stays while entries are added. */
function Places({ last }: { last: number | undefined }): ReactNode {
  const search = route.useSearch();
  return (
    <Group gap="xs" justify="center">
      {search.before !== undefined && (
        <ButtonLink
          to="/evidence"
          search={{ ...search, before: undefined }}
          variant="default"
          size="xs"
        >
          Newest
        </ButtonLink>
      )}
      {last !== undefined && (
        <ButtonLink to="/evidence" search={{ ...search, before: last }} variant="default" size="xs">
          Older
        </ButtonLink>
      )}
    </Group>
  );
}

function Handover({ filters }: { filters: Record<string, string> }): ReactNode {
  const verify = useMutation({ mutationFn: () => readData(api.GET('/api/v1/audit/verify')) });
  const query = new URLSearchParams(filters).toString();
  return (
    <Section
      title="Audit log"
      lead="Who did what here is a chain of its own. Its bundle is checked offline like the others; JSON and PDF hold what the filters find."
      actions={
        <>
          <Button
            variant="default"
            size="xs"
            loading={verify.isPending}
            onClick={() => verify.mutate()}
          >
            Verify the audit log
          </Button>
          <SaveButton path="/api/v1/audit/bundle">Save the bundle</SaveButton>
          <SaveButton path={`/api/v1/audit/export?${query}`}>Save as JSON</SaveButton>
          <SaveButton path={`/api/v1/audit/export/pdf?${query}`}>Save as PDF</SaveButton>
        </>
      }
    >
      {verify.data && (
        <Alert variant="outline" color={verify.data.verified ? 'teal' : 'red'} role="status">
          {verify.data.verified
            ? `Intact: all ${verify.data.totalEntries.toLocaleString('en')} entries are as sealed.`
            : `Broken: ${verify.data.error ?? 'an entry is not what was sealed'}`}
        </Alert>
      )}
      {verify.error && <Problem error={verify.error} />}
    </Section>
  );
}
