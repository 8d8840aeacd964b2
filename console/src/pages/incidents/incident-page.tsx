// One incident: what happened, the clocks of all regulators on one time line, and the checkpoints to complete.
import { Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, readData } from '../../api/client.ts';
import { useChange } from '../../parts/forms/use-change.ts';
import { Facts, Figures } from '../../parts/layout/facts.tsx';
import { Section } from '../../parts/layout/section.tsx';
import { TextLink } from '../../parts/links.tsx';
import { Page } from '../../parts/page.tsx';
import { Problem, QueryView } from '../../parts/states.tsx';
import { DecisionName } from '../../parts/record/decision-name.tsx';
import { markInvisible, Stored } from '../../parts/text.tsx';
import { Ago, Countdown, formatToMinute } from '../../parts/time.tsx';
import { Sign } from '../../parts/verdict.tsx';
import { useRights } from '../../session/session.ts';
import { Clocks } from './clocks.tsx';
import { CloseIncident } from './close-incident.tsx';
import {
  CATEGORY_NAMES,
  type Incident,
  isOver,
  SEVERITY_TONES,
  STATUS_TONES,
  STATUSES,
  toChoices,
} from './incident-texts.ts';
import { toTitle } from '../../parts/words.ts';
import { TimeLine } from './time-line.tsx';

const route = getRouteApi('/session/incidents/$incidentId');

export function IncidentPage(): ReactNode {
  const { incidentId: id } = route.useParams();
  const query = useQuery({
    queryKey: ['incidents', 'one', id],
    queryFn: () => readData(api.GET('/api/v1/incidents/{id}', { params: { path: { id } } })),
  });
  const { mayManage } = useRights();
  const incident = query.data;
  return (
    <Page
      title={incident ? markInvisible(incident.title) : 'Incident'}
      lead={incident && CATEGORY_NAMES[incident.category]}
      actions={incident && mayManage && !isOver(incident) && <CloseIncident incident={incident} />}
    >
      <QueryView query={query}>{(found) => <Details incident={found} />}</QueryView>
    </Page>
  );
}

function Details({ incident }: { incident: Incident }): ReactNode {
  const { severity, status, nextCheckpointAt, detectedAt, clocks } = incident;
  const done = clocks
    .flatMap(({ checkpoints }) => checkpoints)
    .filter(({ completedAt }) => completedAt !== null).length;
  const all = clocks.flatMap(({ checkpoints }) => checkpoints).length;
  return (
    <Stack gap="md">
      <Figures
        items={[
          {
            label: 'Next deadline',
            value:
              nextCheckpointAt === null || isOver(incident) ? (
                'None'
              ) : (
                <Countdown to={nextCheckpointAt} isLarge />
              ),
            note: nextCheckpointAt && formatToMinute(nextCheckpointAt),
          },
          { label: 'Checkpoints', value: `${done} of ${all}`, note: 'completed' },
          {
            label: 'Severity',
            value: <Sign tone={SEVERITY_TONES[severity]}>{toTitle(severity)}</Sign>,
          },
          {
            label: 'Status',
            value: <Sign tone={STATUS_TONES[status]}>{toTitle(status)}</Sign>,
          },
          {
            label: 'Detected',
            value: <Ago at={detectedAt} isLarge />,
            note: formatToMinute(detectedAt),
          },
        ]}
      />
      {clocks.length > 0 && <TimeLine incident={incident} />}
      <Clocks incident={incident} />
      <Description incident={incident} />
    </Stack>
  );
}

function Description({ incident }: { incident: Incident }): ReactNode {
  const { summary, triggerTraceIds, externalRef, createdByEmail, closedAt } = incident;
  return (
    <Section title="What happened" actions={<StatusSelect incident={incident} />}>
      {summary === null ? (
        <Text size="sm" c="dimmed">
          No summary yet.
        </Text>
      ) : (
        <Stored value={summary} />
      )}
      <Facts
        items={[
          ['Opened by', createdByEmail],
          ['Reference', externalRef],
          [
            'Decisions',
            triggerTraceIds.length === 0 ? null : (
              <ul key="decisions" className="link-list">
                {triggerTraceIds.map((traceId, at) => (
                  <li key={traceId}>
                    <TextLink to="/decisions/$traceId" params={{ traceId }} size="sm">
                      <DecisionName traceId={traceId} at={at} />
                    </TextLink>
                  </li>
                ))}
              </ul>
            ),
          ],
          ['Closed', closedAt && formatToMinute(closedAt)],
          ['Root cause', incident.rootCause && markInvisible(incident.rootCause)],
          ['Remedy', incident.remediation && markInvisible(incident.remediation)],
          ['Notes', incident.notes && markInvisible(incident.notes)],
        ]}
      />
    </Section>
  );
}

/** Closing has a dialog of its own; a closed incident is opened again by managers. */
function StatusSelect({ incident }: { incident: Incident }): ReactNode {
  const { mayWrite, mayManage } = useRights();
  const change = useChange({
    change: (status: Incident['status']) => {
      const params = { path: { id: incident._id } };
      return readData(api.PATCH('/api/v1/incidents/{id}', { params, body: { status } }));
    },
    refresh: ['incidents'],
  });
  const mayChange = incident.status === 'closed' ? mayManage : mayWrite;
  if (!mayChange) return null;
  const shown = STATUSES.filter((status) => status !== 'closed' || incident.status === 'closed');
  return (
    <>
      <Select
        aria-label="Status"
        size="xs"
        w={160}
        allowDeselect={false}
        data={toChoices(shown)}
        value={incident.status}
        onChange={(status) => status && change.mutate(status as Incident['status'])}
      />
      {change.error && <Problem error={change.error} />}
    </>
  );
}
