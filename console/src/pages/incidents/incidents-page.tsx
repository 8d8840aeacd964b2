// The incidents of the organisation, the next deadline of each, and the calendar that people subscribe to.
import { Button, Group, Paper, Select, Stack } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { api, readEnvelope } from '../../api/client.ts';
import { Icon } from '../../parts/icons.tsx';
import { type Column, DataTable } from '../../parts/lists/data-table.tsx';
import { TextFilter } from '../../parts/lists/text-filter.tsx';
import { createPagedQuery, ShowMore } from '../../parts/lists/paged-list.tsx';
import { RowLink } from '../../parts/lists/row-link.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, QueryView } from '../../parts/states.tsx';
import { markInvisible } from '../../parts/text.tsx';
import { Ago, Countdown } from '../../parts/time.tsx';
import { Sign } from '../../parts/verdict.tsx';
import { useRights } from '../../session/session.ts';
import { CalendarSection } from './calendar-section.tsx';
import { IncidentDialog } from './incident-dialog.tsx';
import {
  type Incident,
  isOver,
  REGULATOR_NAMES,
  REGULATORS,
  SEVERITIES,
  SEVERITY_TONES,
  STATUS_TONES,
  STATUSES,
  toChoices,
} from './incident-texts.ts';
import { toTitle } from '../../parts/words.ts';

const route = getRouteApi('/session/incidents');
type Filters = Omit<ReturnType<typeof route.useSearch>, 'about'>;

const createListQuery = ({ q, ...filters }: Filters) =>
  createPagedQuery<Incident>(['incidents', 'list', q, filters], (page, signal) => {
    const query = { ...filters, ...(q && { search: q }), page, limit: 100 };
    return readEnvelope(api.GET('/api/v1/incidents', { params: { query }, signal }));
  });

const COLUMNS: readonly Column<Incident>[] = [
  {
    title: 'Incident',
    cell: ({ _id: incidentId, title }) => (
      <RowLink to="/incidents/$incidentId" params={{ incidentId }}>
        {markInvisible(title)}
      </RowLink>
    ),
  },
  {
    title: 'Severity',
    cell: ({ severity }) => <Sign tone={SEVERITY_TONES[severity]}>{toTitle(severity)}</Sign>,
  },
  {
    title: 'Status',
    cell: ({ status }) => <Sign tone={STATUS_TONES[status]}>{toTitle(status)}</Sign>,
  },
  {
    title: 'Regulators',
    cell: ({ clocks }) =>
      clocks.map(({ regulator }) => REGULATOR_NAMES[regulator]).join(', ') || 'None',
  },
  { title: 'Detected', cell: ({ detectedAt }) => <Ago at={detectedAt} /> },
  {
    title: 'Next deadline',
    isEnd: true,
    cell: (incident) =>
      incident.nextCheckpointAt === null || isOver(incident) ? (
        'None'
      ) : (
        <Countdown to={incident.nextCheckpointAt} />
      ),
  },
];

export function IncidentsPage(): ReactNode {
  const { about, ...filters } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useInfiniteQuery(createListQuery(filters));
  const { mayWrite } = useRights();
  const [isAsked, setAsked] = useState(false);
  const isOpen = mayWrite && (isAsked || about !== undefined);
  function close(): void {
    setAsked(false);
    if (about !== undefined) void navigate({ search: filters, replace: true });
  }
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <Page
      title="Incidents"
      lead="What has to be reported to whom, and by when: each regulator has a clock."
      actions={
        mayWrite && (
          <Button
            size="xs"
            leftSection={<Icon name="plus" size={14} />}
            onClick={() => setAsked(true)}
          >
            Open an incident
          </Button>
        )
      }
    >
      <FilterBar filters={filters} />
      <QueryView query={list}>
        {(incidents) =>
          incidents.length === 0 ? (
            <Empty icon="incidents" title={isFiltered ? 'None fits the filters' : 'No incidents'}>
              {isFiltered
                ? 'Remove a filter to see more.'
                : 'When something goes wrong, open an incident: the deadlines of each regulator are worked out from when it was detected.'}
            </Empty>
          ) : (
            <Stack gap="sm">
              <DataTable
                label="Incidents"
                rows={incidents}
                toKey={({ _id }) => _id}
                columns={COLUMNS}
              />
              <ShowMore list={list} />
            </Stack>
          )
        }
      </QueryView>
      <CalendarSection />
      <IncidentDialog key={about} about={about} isOpen={isOpen} onClose={close} />
    </Page>
  );
}

function FilterBar({ filters }: { filters: Filters }): ReactNode {
  const navigate = route.useNavigate();
  const change = (more: Filters): void =>
    void navigate({ search: (known) => ({ ...known, ...more }), replace: true });
  const choices = [
    ['Status', 'status', toChoices(STATUSES)],
    ['Severity', 'severity', toChoices(SEVERITIES)],
    [
      'Regulator',
      'regulator',
      REGULATORS.map((value) => ({ value, label: REGULATOR_NAMES[value] })),
    ],
  ] as const;
  return (
    <Paper p="sm">
      <Group gap="xs" align="flex-end">
        <TextFilter
          label="Words"
          placeholder="In title and summary"
          text={filters.q}
          onText={(q) => change({ q: q || undefined })}
          flex="3 1 260px"
        />
        {choices.map(([label, name, data]) => (
          <Select
            key={name}
            label={label}
            placeholder="All"
            clearable
            data={data}
            value={filters[name] ?? null}
            onChange={(value) => change({ [name]: value ?? undefined } as Filters)}
            flex="1 1 130px"
            maw={{ sm: 170 }}
          />
        ))}
      </Group>
    </Paper>
  );
}
