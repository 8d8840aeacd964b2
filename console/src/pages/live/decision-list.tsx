// A list of decisions of any length, with j and k to move among them.
import { Paper, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useMemo } from 'react';
import { workspacesQuery } from '../../api/shared-queries.ts';
import type { Decision } from '../../parts/decision-stream.ts';
import { describeProposal } from '../../parts/decision-text.ts';
import { Score } from '../../parts/score.tsx';
import { Loading } from '../../parts/states.tsx';
import { markInvisible, StoredLine } from '../../parts/text.tsx';
import { Ago } from '../../parts/time.tsx';
import { Verdict } from '../../parts/verdict.tsx';
import classes from './decision-list.module.css';
import { useChosenRow } from './chosen-row.ts';

interface Props {
  decisions: readonly Decision[];
  hasMore: boolean;
  /** Called when the last row comes into view. */
  onEnd: () => void;
}

/** Up to here all rows are drawn; what draws those in view alone is loaded for longer lists. */
const SHORT = 100;

const LongRows = lazy(async () => ({ default: (await import('./long-rows.tsx')).LongRows }));

/** Names of workspaces by id; null: there is one at most, and a column of it would say nothing. */
function useWorkspaceNames(): ReadonlyMap<string, string> | null {
  const { data = [] } = useQuery(workspacesQuery);
  return useMemo(
    () => (data.length > 1 ? new Map(data.map(({ _id, name }) => [_id, name])) : null),
    [data],
  );
}

const TITLES = ['Verdict', 'Confidence', 'Action', 'Agent', 'Policy', 'Time'];

export function DecisionList({ decisions, hasMore, onEnd }: Props): ReactNode {
  const workspaces = useWorkspaceNames();
  const renderRow = (index: number): ReactNode => {
    const decision = decisions[index];
    return decision && <Row decision={decision} workspaces={workspaces} />;
  };
  const isShort = !hasMore && decisions.length <= SHORT;
  return (
    <Paper>
      <div
        role="table"
        aria-label="Decisions"
        aria-rowcount={hasMore ? -1 : decisions.length + 1}
        data-workspaces={workspaces !== null}
        className={classes.table}
      >
        <div role="row" aria-rowindex={1} className={`${classes.row} ${classes.head}`}>
          {(workspaces ? TITLES.toSpliced(-1, 0, 'Workspace') : TITLES).map((name) => (
            <Text key={name} role="columnheader" size="xs" fw={600} c="dimmed">
              {name}
            </Text>
          ))}
        </div>
        {isShort ? (
          <ShortRows decisions={decisions} renderRow={renderRow} />
        ) : (
          <Suspense fallback={<Loading />}>
            <LongRows decisions={decisions} hasMore={hasMore} onEnd={onEnd} renderRow={renderRow} />
          </Suspense>
        )}
      </div>
    </Paper>
  );
}

/** All rows of a short list. */
function ShortRows({
  decisions,
  renderRow,
}: Pick<Props, 'decisions'> & { renderRow: (index: number) => ReactNode }): ReactNode {
  const chosen = useChosenRow(decisions.length);
  return (
    <div role="rowgroup">
      {decisions.map(({ traceId }, index) => (
        <div
          key={traceId}
          data-row={index}
          data-selected={index === chosen}
          role="row"
          aria-rowindex={index + 2}
          className={`${classes.row} ${classes.item}`}
        >
          {renderRow(index)}
        </div>
      ))}
    </div>
  );
}

interface RowProps {
  decision: Decision;
  workspaces: ReadonlyMap<string, string> | null;
}

function Row({ decision, workspaces }: RowProps): ReactNode {
  const { traceId, status, decidedBy, confidenceScore, agentName, agentId, matchedPolicy } =
    decision;
  return (
    <>
      <div role="cell" className={classes.verdict}>
        <Verdict status={status} />
        {decidedBy === 'person' && (
          <Text span size="xs" c="dimmed" className={classes.decider}>
            by a person
          </Text>
        )}
        {decision.basis && (
          <Text span size="xs" c="dimmed" className={classes.decider}>
            by a grant
          </Text>
        )}
      </div>
      <div role="cell" className={classes.score}>
        <Score value={confidenceScore} />
      </div>
      <div role="cell" className={classes.action}>
        <Link to="/decisions/$traceId" params={{ traceId }} className={classes.link}>
          <StoredLine value={describeProposal(decision)} />
        </Link>
      </div>
      <div role="cell" className={classes.agent}>
        <StoredLine value={agentName ?? agentId} />
      </div>
      <div role="cell" className={classes.policy}>
        <Text span size="sm" c="dimmed" className="clamp" display="block">
          {matchedPolicy ? markInvisible(matchedPolicy.name) : '—'}
        </Text>
      </div>
      {workspaces && (
        <div role="cell" className={classes.workspace}>
          <StoredLine value={workspaces.get(decision.workspaceId) ?? '—'} />
        </div>
      )}
      <div role="cell" className={classes.time}>
        <Ago at={decision.createdAt} />
      </div>
    </>
  );
}
