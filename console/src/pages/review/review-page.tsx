// The review queue: list and item side by side, decided by keyboard alone.
import { Grid, Paper, SegmentedControl, Switch, Text } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { TextLink } from '../../parts/links.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, QueryView } from '../../parts/states.tsx';
import { useRights, useSession } from '../../session/session.ts';
import { AssignDialog } from './assign-dialog.tsx';
import { EditDialog } from './edit-dialog.tsx';
import { KeysDialog } from './keys-dialog.tsx';
import { UNDO_MS, usePendingVerdicts, type Verdict } from './pending-verdicts.ts';
import { RejectDialog } from './reject-dialog.tsx';
import { ReviewDetails } from './review-details.tsx';
import { ReviewList } from './review-list.tsx';
import {
  createReviewQuery,
  type ReviewItem,
  type ReviewStatus,
  sortByDeadline,
} from './review-queries.ts';

const route = getRouteApi('/session/review/{-$traceId}');

type Dialog = 'reject' | 'edit' | 'assign' | 'keys' | null;
const UNDO_NOTE = 'verdict-to-undo';

export function ReviewPage(): ReactNode {
  const { status = 'pending' } = route.useSearch();
  const queue = useQuery(createReviewQuery(status));
  return (
    <Page
      title="Review queue"
      lead={
        <>
          What policies hold for a person, the most urgent first.{' '}
          <Text span inherit visibleFrom="sm">
            Press ? for the keys.
          </Text>
        </>
      }
      isWide
      actions={<Filters />}
    >
      <QueryView query={queue}>{({ data }) => <Queue listed={data} />}</QueryView>
    </Page>
  );
}

function Filters(): ReactNode {
  const { status = 'pending', mine } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <>
      <Switch
        label="Assigned to me"
        checked={mine === '1'}
        onChange={({ currentTarget: { checked } }) =>
          void navigate({
            params: {},
            search: (known) => ({ ...known, mine: checked ? '1' : undefined }),
          })
        }
      />
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
          void navigate({
            params: {},
            search: (known) => ({ ...known, status: value as ReviewStatus }),
          })
        }
      />
    </>
  );
}

/** The items to show, and the chosen one, whose `traceId` is the address. */
function useChoice(listed: readonly ReviewItem[], hidden: ReadonlySet<string>) {
  const { traceId } = route.useParams();
  const { mine } = route.useSearch();
  const { user } = useSession();
  const navigate = route.useNavigate();
  const items = useMemo(
    () =>
      sortByDeadline(listed).filter(
        ({ _id, assignedTo }) => !hidden.has(_id) && (mine !== '1' || assignedTo === user._id),
      ),
    [listed, hidden, mine, user._id],
  );
  const index = items.findIndex((item) => item.traceId === traceId);
  const choose = (item: ReviewItem | undefined): void =>
    void navigate({
      params: { traceId: item?.traceId },
      search: (known) => known,
      replace: true,
    });
  return { items, index, chosen: items[index] ?? items[0], choose, traceId };
}

function Queue({ listed }: { listed: readonly ReviewItem[] }): ReactNode {
  const verdicts = usePendingVerdicts();
  const { items, index, chosen, choose, traceId } = useChoice(listed, verdicts.ids);
  // A link may lead to a decision that waits no longer: another one must not stand in its place.
  const isGone = traceId !== undefined && !listed.some((item) => item.traceId === traceId);
  const [dialog, setDialog] = useState<Dialog>(null);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const { mayDecide, mayWrite } = useRights();
  const isPending = chosen?.status === 'pending';
  const isEditable = isPending && chosen.actionDigest !== null;
  const chosenId = chosen?._id;
  useEffect(() => {
    if (chosenId !== undefined) setOpened((known) => new Set([...known, chosenId]));
  }, [chosenId]);

  const marked = items.filter(({ _id }) => selected.has(_id) && opened.has(_id));
  const affected = marked.length > 0 ? marked : items.filter((item) => item === chosen);

  function decide(verdict: Verdict): void {
    const decided =
      verdict.edits === undefined ? affected : items.filter((item) => item === chosen);
    const rest = items.filter((item) => !decided.includes(item));
    const after = items.slice(Math.max(0, index) + 1).find((item) => rest.includes(item));
    for (const item of decided) verdicts.decide(item, verdict);
    setSelected(new Set());
    setDialog(null);
    choose(after ?? rest[0]);
    showUndo(verdict, decided.length, takeBack);
  }
  function takeBack(): void {
    notifications.hide(UNDO_NOTE);
    const item = verdicts.takeBack();
    if (item) choose(item);
  }
  function toggle(id: string | undefined): void {
    if (id === undefined) return;
    setSelected((known) =>
      known.has(id) ? new Set([...known].filter((other) => other !== id)) : new Set([...known, id]),
    );
  }
  const move = (by: number): void =>
    choose(items[Math.min(items.length - 1, Math.max(0, Math.max(0, index) + by))]);
  // In a dialog the keys belong to it, and what is not shown is not decided.
  const isFree = dialog === null && !isGone;
  useHotkeys([
    ['j', () => isFree && move(1)],
    ['k', () => isFree && move(-1)],
    ['a', () => isFree && mayDecide && isPending && decide({ decision: 'approve' })],
    ['r', () => isFree && mayDecide && isPending && setDialog('reject')],
    ['e', () => isFree && mayDecide && isEditable && setDialog('edit')],
    ['s', () => isFree && mayWrite && isPending && setDialog('assign')],
    ['x', () => isFree && mayDecide && isPending && toggle(chosen?._id)],
    ['u', takeBack],
    ['shift+?', () => setDialog('keys')],
  ]);
  if (isGone) return <DecidedElsewhere traceId={traceId} />;
  if (!chosen)
    return (
      <Empty icon="review" title="Nothing waits">
        Decisions that a policy holds appear here, the most urgent first.
      </Empty>
    );
  return (
    <>
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 4 }}>
          <ReviewList
            items={items}
            chosen={chosen}
            selected={selected}
            opened={opened}
            onToggle={mayDecide && isPending ? toggle : undefined}
          />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Paper p={{ base: 'md', sm: 'lg' }} component="section" aria-label="Chosen decision">
            <ReviewDetails
              item={chosen}
              count={affected.length}
              onApprove={() => decide({ decision: 'approve' })}
              onReject={() => setDialog('reject')}
              onEdit={isEditable ? () => setDialog('edit') : undefined}
              onAssign={() => setDialog('assign')}
            />
          </Paper>
        </Grid.Col>
      </Grid>
      <RejectDialog
        isOpen={dialog === 'reject'}
        count={affected.length}
        onClose={() => setDialog(null)}
        onReject={(reason) => decide({ decision: 'reject', reason })}
      />
      <EditDialog
        isOpen={dialog === 'edit'}
        item={chosen}
        onClose={() => setDialog(null)}
        onApprove={(edits) => decide({ decision: 'approve', edits })}
      />
      <AssignDialog isOpen={dialog === 'assign'} item={chosen} onClose={() => setDialog(null)} />
      <KeysDialog isOpen={dialog === 'keys'} onClose={() => setDialog(null)} />
    </>
  );
}

function DecidedElsewhere({ traceId }: { traceId: string | undefined }): ReactNode {
  return (
    <Empty icon="review" title="This decision is not in the list">
      It may have been decided, or its hold has ended.{' '}
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

function showUndo({ decision }: Verdict, count: number, takeBack: () => void): void {
  const what = decision === 'approve' ? 'Approved' : 'Rejected';
  notifications.hide(UNDO_NOTE);
  notifications.show({
    id: UNDO_NOTE,
    title: count === 1 ? what : `${what} ${count}`,
    message: 'Press u to take it back.',
    autoClose: UNDO_MS,
    onClick: takeBack,
    closeButtonProps: { 'aria-label': 'Close' },
  });
}
