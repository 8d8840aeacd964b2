// Alert rules: what is watched, who is notified, whether it reaches them.
import { Button, Stack, Switch, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, readData, readEnvelope } from '../../api/client.ts';
import { agentsQuery } from '../../api/shared-queries.ts';
import { ConfirmButton, ConfirmDialog } from '../../parts/forms/confirm-button.tsx';
import { useChange } from '../../parts/forms/use-change.ts';
import { Icon } from '../../parts/icons.tsx';
import { DataTable, RowActions } from '../../parts/lists/data-table.tsx';
import { createPagedQuery, ShowMore } from '../../parts/lists/paged-list.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, QueryView } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { Sign } from '../../parts/verdict.tsx';
import { useRights } from '../../session/session.ts';
import { AlertDialog } from './alert-dialog.tsx';
import { type Alert, describeCondition } from './alert-texts.ts';
import { TestButton } from './test-button.tsx';

const listQuery = createPagedQuery(['alerts'], (page, signal) => {
  const query = { page, limit: 100 };
  return readEnvelope(api.GET('/api/v1/alerts', { params: { query }, signal }));
});

const toPath = ({ _id: id }: Alert) => ({ params: { path: { id } } });
const TONES = { critical: 'bad', warning: 'warning', info: 'neutral' } as const;
const WORDS = { critical: 'Critical', warning: 'Warning', info: 'Information' } as const;

export function AlertsPage(): ReactNode {
  const list = useInfiniteQuery(listQuery);
  const { mayManage } = useRights();
  const [edited, setEdited] = useState<Alert | 'new' | null>(null);
  return (
    <Page
      title="Alerts"
      lead="Rules that notify members, a chat or a server of yours when something is the case."
      actions={
        mayManage && (
          <Button
            size="xs"
            leftSection={<Icon name="plus" size={14} />}
            onClick={() => setEdited('new')}
          >
            Add a rule
          </Button>
        )
      }
    >
      <QueryView query={list}>
        {(alerts) =>
          alerts.length === 0 ? (
            <Empty icon="alerts" title="No rules yet">
              A rule such as “Verdict is blocked” sends a mail the moment a decision is blocked.
            </Empty>
          ) : (
            <Stack gap="sm">
              <Rules alerts={alerts} onEdit={setEdited} />
              <ShowMore list={list} />
            </Stack>
          )
        }
      </QueryView>
      <AlertDialog edited={findEdited(edited, list.data)} onClose={() => setEdited(null)} />
    </Page>
  );
}

/** The rule as it is stored now: it may have been changed since its dialog was opened. */
function findEdited(
  edited: Alert | 'new' | null,
  alerts: readonly Alert[] = [],
): Alert | 'new' | null {
  if (edited === null || edited === 'new') return edited;
  return alerts.find(({ _id }) => _id === edited._id) ?? edited;
}

interface RulesProps {
  alerts: readonly Alert[];
  onEdit: (alert: Alert) => void;
}

function Rules({ alerts, onEdit }: RulesProps): ReactNode {
  const { mayManage } = useRights();
  const { data: agents = [] } = useQuery(agentsQuery);
  const agentNames = new Map(agents.map(({ _id, name }) => [_id, name]));
  return (
    <DataTable
      label="Alert rules"
      rows={alerts}
      toKey={({ _id }) => _id}
      columns={[
        {
          title: 'Rule',
          cell: ({ name, description }) => (
            <>
              <Text size="sm" fw={550}>
                {name}
              </Text>
              {description !== '' && (
                <Text size="xs" c="dimmed">
                  {description}
                </Text>
              )}
            </>
          ),
        },
        { title: 'When', cell: (alert) => describeCondition(alert, agentNames) },
        {
          title: 'Severity',
          cell: ({ severity }) => <Sign tone={TONES[severity]}>{WORDS[severity]}</Sign>,
        },
        { title: 'Notifies', cell: (alert) => <Targets alert={alert} /> },
        {
          title: 'Last match',
          cell: ({ lastTriggeredAt }) =>
            lastTriggeredAt === null ? 'None yet' : <Ago at={lastTriggeredAt} />,
        },
        { title: 'On', cell: (alert) => <ActiveSwitch alert={alert} /> },
        ...(mayManage
          ? [
              {
                title: 'Actions',
                isTitleHidden: true,
                isEnd: true,
                cell: (alert: Alert) => <Actions alert={alert} onEdit={() => onEdit(alert)} />,
              },
            ]
          : []),
      ]}
    />
  );
}

function Targets({ alert }: { alert: Alert }): ReactNode {
  return (
    <div>
      {alert.actions.map(({ type, target }) => (
        <Text key={type + target} size="sm">
          {target}
        </Text>
      ))}
    </div>
  );
}

function ActiveSwitch({ alert }: { alert: Alert }): ReactNode {
  const { mayManage } = useRights();
  const change = useChange({
    change: (isActive: boolean) =>
      readData(api.PATCH('/api/v1/alerts/{id}', { ...toPath(alert), body: { isActive } })),
    refresh: ['alerts'],
  });
  const [isAsked, setAsked] = useState(false);
  if (!mayManage) return alert.isActive ? 'On' : 'Off';
  return (
    <>
      <Switch
        size="sm"
        aria-label={`${alert.name} is on`}
        checked={change.isPending ? change.variables : alert.isActive}
        onChange={({ currentTarget: { checked } }) =>
          checked ? change.mutate(true) : setAsked(true)
        }
      />
      <ConfirmDialog
        isOpen={isAsked}
        title={`Switch ${alert.name} off?`}
        confirmLabel="Switch it off"
        mutation={change}
        onConfirm={() => change.mutateAsync(false)}
        onClose={() => setAsked(false)}
        isDangerous
      >
        It notifies no one while it is off.
      </ConfirmDialog>
    </>
  );
}

function Actions({ alert, onEdit }: { alert: Alert; onEdit: () => void }): ReactNode {
  const { isOwner } = useRights();
  const remove = useChange({
    change: () => readData(api.DELETE('/api/v1/alerts/{id}', toPath(alert))),
    refresh: ['alerts'],
    note: `${alert.name} is removed`,
  });
  return (
    <RowActions>
      <TestButton alert={alert} />
      <Button variant="default" size="xs" onClick={onEdit} aria-label={`Edit ${alert.name}`}>
        Edit
      </Button>
      {isOwner && (
        <ConfirmButton
          label="Remove"
          title={`Remove ${alert.name}?`}
          mutation={remove}
          onConfirm={() => remove.mutateAsync()}
          isDangerous
          buttonProps={{ 'aria-label': `Remove ${alert.name}` }}
        >
          The rule is deleted. Switch it off instead to keep it.
        </ConfirmButton>
      )}
    </RowActions>
  );
}
