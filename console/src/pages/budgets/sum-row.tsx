// One sum of a limit: what it is of, how full it is, what is left, and the decisions behind it.
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { workspacesQuery } from '../../api/shared-queries.ts';
import { formatAmount } from '../../parts/limits/limit-words.ts';
import { TextLink } from '../../parts/links.tsx';
import { markInvisible } from '../../parts/text.tsx';
import { Ago, formatToMinute } from '../../parts/time.tsx';
import { type Budget, type BudgetSum, findDecisions } from './budget-queries.ts';
import { SpentBar } from './spent-bar.tsx';
import classes from './sum-row.module.css';

export interface SumProps {
  budget: Budget;
  sum: BudgetSum;
  /** Absent: now. */
  at: string | undefined;
}

const UNKNOWN = '—';

/** The agent, session, workspace or organisation, by name. */
function useTargetName({ per }: Budget, target: BudgetSum['target']): string {
  const { agentId, agentName, sessionId, workspaceId } = target;
  const isWorkspace = per === 'workspace' && workspaceId !== null;
  const { data: workspaces = [] } = useQuery({ ...workspacesQuery, enabled: isWorkspace });
  const names = {
    agent: agentName ?? agentId,
    session: sessionId,
    workspace: workspaces.find(({ _id }) => _id === workspaceId)?.name,
    organization: 'The organisation',
    person: null,
  };
  return markInvisible(names[per] ?? UNKNOWN);
}

/** Ids that begin alike differ by their ends. */
const MOST_SHOWN = 56;
const END_SHOWN = 20;

const trimMiddle = (name: string): string =>
  name.length > MOST_SHOWN
    ? `${name.slice(0, MOST_SHOWN - END_SHOWN)}…${name.slice(-END_SHOWN)}`
    : name;

export function SumRow({ budget, sum, at }: SumProps): ReactNode {
  const { per, most } = budget;
  const { target } = sum;
  const name = useTargetName(budget, target);
  const agent = target.agentName ?? target.agentId;
  return (
    <div className={classes.row}>
      <div className={classes.name}>
        <Text size="sm" fw={550} dir="auto" title={name}>
          {trimMiddle(name)}
        </Text>
        {per === 'session' && agent !== null && (
          <Text size="xs" c="dimmed" lineClamp={1} dir="auto">
            {markInvisible(agent)}
          </Text>
        )}
      </div>
      <SpentBar label={name} sum={sum} most={most} />
      <Left budget={budget} sum={sum} at={at} />
      <Behind budget={budget} sum={sum} at={at} />
    </div>
  );
}

function Left({ budget: { most }, sum: { spent, left, freesAt }, at }: SumProps): ReactNode {
  const over = spent - most;
  return (
    <div className={classes.left}>
      <Text
        size="sm"
        fw={600}
        className="numbers"
        c={left <= 0 ? 'var(--assay-blocked)' : undefined}
      >
        {over > 0 ? `${formatAmount(over)} over` : `${formatAmount(left)} left`}
      </Text>
      {freesAt !== null && (
        <Text size="sm" c="dimmed" component="div">
          {/* As of a time that has passed, the distance from now says nothing. */}
          {at === undefined ? (
            <>
              More <Ago at={freesAt} isLarge />
            </>
          ) : (
            `More from ${formatToMinute(freesAt)}`
          )}
        </Text>
      )}
    </div>
  );
}

function Behind({ budget, sum, at }: SumProps): ReactNode {
  const { per } = budget;
  const { traceId, changedAt, target } = sum;
  const found = findDecisions(budget, target, { at, now: Date.now() });
  return (
    <div className={classes.behind}>
      <TextLink to="/decisions/$traceId" params={{ traceId }} size="sm">
        Last change
      </TextLink>{' '}
      <Ago at={changedAt} />
      <div>
        <TextLink to="/live" search={found} size="sm">
          {per === 'workspace' || per === 'person'
            ? 'Decisions of the policy'
            : 'Decisions behind it'}
        </TextLink>
      </div>
    </div>
  );
}
