// The chosen item: the action largest, then why it was held and what it was asked.
import { Badge, Button, Group, Kbd, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense } from 'react';
import { membersQuery } from '../../api/shared-queries.ts';
import { ActionView } from '../../parts/action-view.tsx';
import { readTrigger } from '../../parts/decision-text.ts';
import { useSingleKeysOn } from '../../parts/keys/single-keys.ts';
import { TextLink } from '../../parts/links.tsx';
import { Score } from '../../parts/score.tsx';
import { ApprovalsLeft } from '../../parts/record/approvals-left.tsx';
import { Surroundings, TitledValue } from '../../parts/record/surroundings.tsx';
import { markInvisible, ShortHash } from '../../parts/text.tsx';
import { Ago, Countdown, showTimes } from '../../parts/time.tsx';
import { Verdict } from '../../parts/verdict.tsx';
import { useRights } from '../../session/session.ts';
import { Alike } from './alike.tsx';
import classes from './review-details.module.css';
import {
  createReviewItemQuery,
  parseAction,
  readMember,
  readVotedEdits,
  type ReviewItem,
} from './review-queries.ts';

const Votes = lazy(async () => ({ default: (await import('./approvals/votes.tsx')).Votes }));

interface Props {
  item: ReviewItem;
  /** How many items a verdict decides. */
  count: number;
  onApprove: () => void;
  onReject: () => void;
  /** Absent: the action is not kept, so there is nothing to edit. */
  onEdit: (() => void) | undefined;
  /** Absent: it cannot be allowed for a time. */
  onGrant: (() => void) | undefined;
  onAssign: () => void;
}

export function ReviewDetails(props: Props): ReactNode {
  const { item } = props;
  const { context } = item;
  const policy = readMember(context, 'matchedPolicy');
  return (
    <Stack gap="md">
      <Stack gap="xs" className={classes.head}>
        <Heading item={item} />
        <HeldBy name={readMember(policy, 'name')} reason={readMember(policy, 'reason')} />
        {item.approvals && <ApprovalsLeft approvals={item.approvals} />}
        {item.status === 'pending' && <Actions {...props} />}
      </Stack>
      <ActionView action={parseAction(item)} isLarge />
      {item.approvals && (
        <Suspense>
          <Votes approvals={item.approvals} />
        </Suspense>
      )}
      <Caller item={item} />
      <TitledValue
        title="Prompt"
        value={readMember(readMember(context, 'inputContext'), 'prompt')}
      />
      <TitledValue title="Begun by" value={readTrigger(readMember(context, 'inputContext'))} />
      <Surroundings {...(context as object)} traceId={item.traceId} />
      <TitledValue title="Rationale" value={readMember(context, 'rationale')} />
      <TitledValue title="Triggered by" value={readMember(context, 'triggeringCondition')} />
      <TitledValue title="Reason of the verdict" value={item.reason} />
      <Alike item={item} />
      <Foot item={item} />
    </Stack>
  );
}

/** Why a person is asked, in sight while they read on. */
function HeldBy({ name, reason }: { name: unknown; reason: unknown }): ReactNode {
  if (typeof name !== 'string') return null;
  return (
    <Text size="sm" lineClamp={2}>
      <Text span inherit fw={600}>
        Held by {markInvisible(name)}
      </Text>
      {typeof reason === 'string' && `: ${markInvisible(showTimes(reason))}`}
    </Text>
  );
}

/** Why another person decides. */
const SELF_REVIEW = {
  actor: 'It was proposed on your behalf',
  keyMaker: 'It was posted with a key that you made',
  agentOwner: 'You registered its agent',
} as const;

/** What the button approves: the edits of others, where these approved with some. */
function describeApproval(item: ReviewItem, count: number): string {
  if (count > 1) return `Approve ${count}`;
  return readVotedEdits([item]).edits === undefined ? 'Approve' : 'Approve with the edits';
}

function Actions(props: Props): ReactNode {
  const { item, count, onApprove, onReject, onEdit, onGrant, onAssign } = props;
  const { mayDecide, mayWrite } = useRights();
  const isDisabled = item.selfReview !== undefined;
  const mayApprove = !isDisabled && item.approvals?.callerMayApprove !== false;
  const isOn = useSingleKeysOn();
  return (
    <Group gap="xs" className="wide-buttons">
      {mayDecide && (
        <>
          <Button
            className="keyed"
            disabled={!mayApprove}
            onClick={onApprove}
            rightSection={isOn && <Kbd size="xs">a</Kbd>}
          >
            {describeApproval(item, count)}
          </Button>
          <Button
            className="keyed"
            disabled={isDisabled}
            variant="default"
            onClick={onReject}
            rightSection={isOn && <Kbd size="xs">r</Kbd>}
          >
            {count > 1 ? `Reject ${count}` : 'Reject'}
          </Button>
          {onEdit && (
            <Button
              className="keyed"
              disabled={!mayApprove}
              variant="default"
              onClick={onEdit}
              rightSection={isOn && <Kbd size="xs">e</Kbd>}
            >
              Edit
            </Button>
          )}
          {onGrant && (
            <Button disabled={!mayApprove} variant="default" onClick={onGrant}>
              Allow for a time
            </Button>
          )}
        </>
      )}
      {mayWrite && (
        <Button
          className="keyed"
          variant="default"
          onClick={onAssign}
          rightSection={isOn && <Kbd size="xs">s</Kbd>}
        >
          Assign
        </Button>
      )}
      {mayDecide && item.selfReview !== undefined && (
        <Text size="sm" c="dimmed">
          {SELF_REVIEW[item.selfReview]}: another owner, admin or reviewer decides.
        </Text>
      )}
      {!mayDecide && (
        <Text size="sm" c="dimmed">
          Your role reads the queue; owners, admins and reviewers decide.
        </Text>
      )}
    </Group>
  );
}

function Heading({ item }: { item: ReviewItem }): ReactNode {
  const { data: members = [] } = useQuery(membersQuery);
  const assignee = members.find(({ userId }) => userId === item.assignedTo);
  return (
    <Group gap="md">
      <Verdict status={item.status} isFilled />
      <Text size="sm">{item.agentId?.name ?? item.agentIdStr}</Text>
      <Group gap={6}>
        <Text size="sm" c="dimmed">
          Confidence
        </Text>
        <Score value={item.confidence} />
      </Group>
      {item.slaDeadline !== null && item.status === 'pending' && (
        <Countdown to={item.slaDeadline} />
      )}
      {assignee && <Badge color="gray">{assignee.name}</Badge>}
      {item.escalatedAt !== null && <Badge color="orange">Escalated</Badge>}
    </Group>
  );
}

const ASKED_AGAIN_MS = 60_000;

/** Whether an approval reaches its agent. The list may be older than the last ask. */
function Caller({ item }: { item: ReviewItem }): ReactNode {
  const { data: { status, lastAskedAt, callerWaits } = item } = useQuery({
    ...createReviewItemQuery(item.traceId),
    enabled: item.status === 'pending' && item.lastAskedAt !== null,
    refetchInterval: ASKED_AGAIN_MS,
  });
  const isOpen = status === 'pending' || status === 'approved';
  if (!isOpen || lastAskedAt === null) return null;
  return (
    <Group gap={6}>
      <Text size="sm" fw={600} c={callerWaits === true ? 'dimmed' : 'var(--assay-held)'}>
        {callerWaits === true ? 'The caller waits' : 'The caller no longer waits'}
      </Text>
      <Text size="sm" c="dimmed">
        It last asked <Ago at={lastAskedAt} />
      </Text>
    </Group>
  );
}

function Foot({ item }: { item: ReviewItem }): ReactNode {
  return (
    <Group gap="md">
      <TextLink to="/decisions/$traceId" params={{ traceId: item.traceId }} size="sm">
        All about this decision
      </TextLink>
      {item.actionDigest !== null && (
        <Group gap={4}>
          <Text size="xs" c="dimmed">
            Action digest
          </Text>
          <ShortHash value={item.actionDigest} label="action digest" />
        </Group>
      )}
    </Group>
  );
}
