// The review queue: list and item side by side, decided by keyboard alone.
import { Grid, Paper, Pill, SegmentedControl, Switch, Text } from '@mantine/core';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { getWorkspace } from '../../api/client.ts';
import { waitingQuery } from '../../api/shared-queries.ts';
import { useSingleKeys, useSingleKeysOn } from '../../parts/keys/single-keys.ts';
import { TextLink } from '../../parts/links.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, Loading, Problem, QueryView } from '../../parts/states.tsx';
import { useRights, useSession } from '../../session/session.ts';
import type { Dialog } from './dialogs.tsx';
import { ReviewDetails } from './review-details.tsx';
import { ReviewList } from './review-list.tsx';
import {
  createReviewQuery,
  readVotedEdits,
  type ReviewFilters,
  type ReviewStatus,
} from './review-queries.ts';
import { useReviewQueue, useSelection } from './use-review-queue.ts';
import { decideLater, listIds, revertLast } from './verdicts/pending-verdicts.ts';
import type { Verdict } from './verdicts/send-verdicts.ts';
import { refuseUndo, showUndoNote } from './verdicts/undo-note.tsx';

const route = getRouteApi('/session/review/{-$traceId}');

const KEY_NAMES = {
  j: 'Next decision',
  k: 'Previous decision',
  a: 'Approve',
  r: 'Reject, with a reason',
  e: 'Edit the action, then approve it',
  s: 'Assign',
  x: 'Select; a verdict then decides all that are selected',
  u: 'Undo the last verdict, while it is not sent',
};

/** They are loaded with the first one. */
const Dialogs = lazy(async () => ({ default: (await import('./dialogs.tsx')).Dialogs }));

export function ReviewPage(): ReactNode {
  const filters = route.useSearch();
  const list = useInfiniteQuery(createReviewQuery(filters));
  const isWaiting = (filters.status ?? 'pending') === 'pending';
  const total = list.data?.pages[0]?.total;
  const isOn = useSingleKeysOn();
  const queries = useQueryClient();
  const isAll = isWaiting && filters.mine === undefined && filters.group === undefined;
  useEffect(() => {
    // The side bar need not ask for what the list says.
    if (isAll && total !== undefined) queries.setQueryData(waitingQuery.queryKey, total);
  }, [queries, isAll, total]);
  return (
    <Page
      title="Review queue"
      lead={
        <>
          {total === undefined || !isWaiting ? (
            'What policies hold for a person.'
          ) : (
            <Text span inherit fw={600} role="status">
              {formatTotal(total)} {total === 1 ? 'waits' : 'wait'}
            </Text>
          )}
          {isWaiting && total !== undefined && ': what is due first, then the oldest.'}{' '}
          {isOn && (
            <Text span inherit visibleFrom="sm">
              Press ? for the keys.
            </Text>
          )}
        </>
      }
      isWide
      actions={<Filters />}
    >
      <QueryView query={list}>{() => <Queue />}</QueryView>
    </Page>
  );
}

/** The service counts up to here. */
const MOST_COUNTED = 10_000;
const formatTotal = (total: number): string =>
  total < MOST_COUNTED
    ? total.toLocaleString('en')
    : `${MOST_COUNTED.toLocaleString('en')} or more`;

function Filters(): ReactNode {
  const { status = 'pending', mine, unclaimed, left, group } = route.useSearch();
  const navigate = route.useNavigate();
  /** Leaves the open decision, which may not be in the list. */
  const applyFilters = (changed: ReviewFilters): void =>
    void navigate({
      params: { traceId: undefined },
      search: (known) => ({ ...known, ...changed }),
    });
  return (
    <>
      {group !== undefined && (
        <Pill
          withRemoveButton
          removeButtonProps={{ 'aria-label': 'All groups', 'aria-hidden': false }}
          onRemove={() => applyFilters({ group: undefined })}
        >
          One group
        </Pill>
      )}
      <Switch
        label="Assigned to me"
        checked={mine === '1'}
        onChange={({ currentTarget: { checked } }) =>
          applyFilters({ mine: checked ? '1' : undefined })
        }
      />
      {status === 'pending' && (
        <Switch
          label="No caller waits"
          checked={left === '1'}
          onChange={({ currentTarget: { checked } }) =>
            applyFilters({ left: checked ? '1' : undefined })
          }
        />
      )}
      {status === 'approved' && (
        <Switch
          label="Never claimed"
          checked={unclaimed === '1'}
          onChange={({ currentTarget: { checked } }) =>
            applyFilters({ unclaimed: checked ? '1' : undefined })
          }
        />
      )}
      <SegmentedControl
        size="xs"
        aria-label="Status"
        value={status}
        data={[
          { value: 'pending', label: 'Waiting' },
          { value: 'approved', label: 'Approved' },
          { value: 'rejected', label: 'Rejected' },
          { value: 'expired', label: 'Expired' },
        ]}
        onChange={(value) =>
          applyFilters({ status: value as ReviewStatus, unclaimed: undefined, left: undefined })
        }
      />
    </>
  );
}

function Queue(): ReactNode {
  const { user } = useSession();
  const { mayDecide, mayWrite } = useRights();
  const { status = 'pending' } = route.useSearch();
  const queue = useReviewQueue();
  const { items, chosen, choose, isOpening, isGone } = queue;
  const [dialog, setDialog] = useState<Dialog>(null);
  const [wasOpened, setOpened] = useState(false);
  if (dialog !== null && !wasOpened) setOpened(true);
  const selection = useSelection(chosen);
  // What is not shown in full is not decided.
  const isPending = chosen?.status === 'pending' && chosen.payloadOmitted !== true;
  const isEditable = isPending && chosen.actionDigest !== null;
  const isGrantable = isEditable && chosen.agentId !== null && chosen.approvals === undefined;
  const marked = selection.listMarked(items);
  const affected = marked.length > 0 ? marked : [chosen].filter((item) => item !== undefined);

  function decide(verdict: Verdict): void {
    const decided = verdict.edits === undefined ? affected : [chosen];
    const done = decided.filter((item) => item !== undefined);
    selection.clear();
    setDialog(null);
    choose(queue.findNext(new Set(listIds(done))));
    const showNote = (): void => showUndoNote(takeBack);
    if (decideLater(done, verdict, { userId: user._id, onHeldUp: showNote })) showNote();
  }
  function takeBack(): void {
    const act = revertLast();
    if (!act) return refuseUndo();
    choose(act.items[0]);
  }
  // In a dialog the keys belong to it, and what is not shown is not decided.
  const isFree = dialog === null && !isGone && !isOpening;
  const mayDecideThis = isFree && mayDecide && isPending && chosen.selfReview === undefined;
  const mayApprove = mayDecideThis && chosen.approvals?.callerMayApprove !== false;
  const approve = (): void => decide({ decision: 'approve', ...readVotedEdits(affected) });
  useSingleKeys(
    {
      j: () => isFree && queue.move(1),
      k: () => isFree && queue.move(-1),
      a: () => mayApprove && approve(),
      r: () => mayDecideThis && setDialog('reject'),
      e: () => mayApprove && isEditable && setDialog('edit'),
      s: () => isFree && mayWrite && isPending && setDialog('assign'),
      x: () => mayDecideThis && selection.toggle(chosen._id),
      u: () => dialog === null && takeBack(),
    },
    KEY_NAMES,
  );
  if (!isGone && !isOpening && !chosen)
    return status === 'pending' ? <NothingWaits /> : <NoneOfStatus />;
  return (
    <>
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 4 }}>
          <ReviewList
            items={items}
            chosen={chosen}
            selected={selection.selected}
            opened={selection.opened}
            onChoose={choose}
            onToggle={mayDecide ? selection.toggle : undefined}
            pages={queue.pages}
          />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 8 }}>
          {isOpening && <Loading label="Opening the decision" />}
          {isGone && <DecidedElsewhere problem={queue.problem} id={queue.id} />}
          {chosen && !isGone && !isOpening && (
            <Paper p={{ base: 'md', sm: 'lg' }} component="section" aria-label="Chosen decision">
              <ReviewDetails
                item={chosen}
                count={affected.length}
                onApprove={approve}
                onReject={() => setDialog('reject')}
                onEdit={isEditable ? () => setDialog('edit') : undefined}
                onGrant={isGrantable && marked.length === 0 ? () => setDialog('grant') : undefined}
                onAssign={() => setDialog('assign')}
              />
            </Paper>
          )}
        </Grid.Col>
      </Grid>
      {wasOpened && (
        <Suspense>
          <Dialogs
            open={dialog}
            item={chosen}
            count={affected.length}
            onClose={() => setDialog(null)}
            onDecide={decide}
          />
        </Suspense>
      )}
    </>
  );
}

const NothingWaits = (): ReactNode => (
  <Empty icon="review" title="Nothing waits">
    Decisions that a policy holds appear here, the most urgent first.
  </Empty>
);

const NoneOfStatus = (): ReactNode => (
  <Empty icon="review" title="No decisions">
    No decision fits the filters.
  </Empty>
);

interface GoneProps {
  problem: unknown;
  id: string | undefined;
}

function DecidedElsewhere({ problem, id: traceId }: GoneProps): ReactNode {
  if (!(problem instanceof ApiError && problem.status === 404)) return <Problem error={problem} />;
  return (
    <Empty icon="review" title="This decision is not in the list">
      It may have been decided, or its hold has ended
      {getWorkspace() === null ? '' : ', or it belongs to another workspace'}.{' '}
      {traceId !== undefined && (
        <TextLink to="/decisions/$traceId" params={{ traceId }}>
          See what became of it
        </TextLink>
      )}{' '}
      or{' '}
      <TextLink to="/review/{-$traceId}" params={{}}>
        go to the queue
      </TextLink>
      .
    </Empty>
  );
}
