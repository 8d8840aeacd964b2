// Decides a group: its first five actions are looked at, and all that wait get the same verdict.
import { Button, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ActionView } from '../../parts/action-view.tsx';
import { DialogButtons } from '../../parts/forms/dialog-buttons.tsx';
import { useChange } from '../../parts/forms/use-change.ts';
import { Problem, QueryView } from '../../parts/states.tsx';
import { formatCount } from '../../parts/words.ts';
import { parseAction, type ReviewItem } from '../review/review-queries.ts';
import { reportUndecided } from '../review/verdicts/report-undecided.tsx';
import { decideAll, type GroupVerdict } from './decide-all.ts';
import { type DecisionGroup, readWaiting } from './group-queries.ts';

const LOOKED_AT = 5;

export function DecideGroup({ group }: { group: DecisionGroup }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button size="xs" variant="light" onClick={() => setOpen(true)}>
        Decide {group.waiting === 1 ? 'it' : `all ${group.waiting.toLocaleString('en')}`}
      </Button>
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={`Decide ${formatCount(group.waiting, 'decision')}`}
        size="lg"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <DecideForm group={group} onClose={() => setOpen(false)} />
      </Modal>
    </>
  );
}

function DecideForm({ group, onClose }: { group: DecisionGroup; onClose: () => void }): ReactNode {
  const [reason, setReason] = useState('');
  const [done, setDone] = useState(0);
  const samples = useQuery({
    queryKey: ['groups', 'samples', group.group],
    queryFn: () => readWaiting(group.group, LOOKED_AT),
    staleTime: 0,
  });
  const send = useChange({
    change: (verdict: GroupVerdict) => decideAll(group.group, verdict, setDone),
    refresh: ['groups', 'review'],
    onDone(undecided) {
      if (undecided.length > 0) reportUndecided(undecided);
      onClose();
    },
  });
  const given = reason.trim();
  const decide = (decision: GroupVerdict['decision']): void =>
    send.mutate({ decision, ...(given !== '' && { reason: given }) });
  const isReady = samples.data !== undefined && !send.isPending;
  return (
    <Stack gap="sm">
      <QueryView query={samples}>{({ data }) => <Samples items={data} />}</QueryView>
      <TextInput
        label="Reason"
        description="The agents get it. A rejection needs one."
        maxLength={1000}
        value={reason}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
      />
      {send.isPending && (
        <Text size="sm" role="status">
          {done.toLocaleString('en')} of {group.waiting.toLocaleString('en')} decided
        </Text>
      )}
      {Boolean(send.error) && <Problem error={send.error} />}
      <Text size="sm" c="dimmed">
        This cannot be undone. Those that another person decides first are left as they are.
      </Text>
      <DialogButtons onCancel={onClose}>
        <Button
          variant="default"
          disabled={!isReady || given === ''}
          onClick={() => decide('reject')}
        >
          Reject all
        </Button>
        <Button disabled={!isReady} onClick={() => decide('approve')}>
          Approve all
        </Button>
      </DialogButtons>
    </Stack>
  );
}

const Samples = ({ items }: { items: readonly ReviewItem[] }): ReactNode => (
  <Stack gap="sm">
    {items.map((item) => (
      <section key={item._id} aria-label={item.traceId}>
        <ActionView action={parseAction(item)} />
      </section>
    ))}
  </Stack>
);
