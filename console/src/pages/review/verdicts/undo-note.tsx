// The note of a verdict that is not sent yet: a button that undoes it, and for how long. Closing it changes nothing.
import { Button, Group, Kbd, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type ReactNode, useEffect } from 'react';
import { useSingleKeysOn } from '../../../parts/keys/single-keys.ts';
import { formatDuration, useNow } from '../../../parts/time.tsx';
import { type Act, findUndoable, usePendingVerdicts } from './pending-verdicts.ts';

const NOTE = 'verdict-to-undo';

/** `onUndo` undoes the last act. */
export function showUndoNote(onUndo: () => void): void {
  notifications.hide(NOTE);
  notifications.show({
    id: NOTE,
    message: <UndoNote onUndo={onUndo} />,
    autoClose: false,
    closeButtonProps: { 'aria-label': 'Close' },
  });
}

function describeAct({ items, verdict: { decision } }: Act): string {
  const what = decision === 'approve' ? 'Approved' : 'Rejected';
  return items.length === 1 ? what : `${what} ${items.length}`;
}

function describeWait({ sendAt, isLimited, sending }: Act, now: number): string {
  if (sending) return 'It is being sent.';
  if (sendAt === null) return 'This device is offline. It is sent when the connection is back.';
  const left = formatDuration(Math.max(0, sendAt - now) + 999);
  if (isLimited) return `Too many requests in a short time. It is sent in ${left}.`;
  return `It is sent in ${left}.`;
}

function UndoNote({ onUndo }: { onUndo: () => void }): ReactNode {
  const { acts } = usePendingVerdicts();
  const now = useNow();
  const isOn = useSingleKeysOn();
  const act = findUndoable(acts) ?? acts.at(-1);
  const isOver = act === undefined;
  useEffect(() => {
    if (isOver) notifications.hide(NOTE);
  }, [isOver]);
  if (!act) return null;
  const isHere = location.pathname.startsWith('/console/review');
  return (
    <Group justify="space-between" wrap="nowrap" gap="sm">
      <div>
        <Text size="sm" fw={600}>
          {describeAct(act)}
        </Text>
        <Text size="sm" c="dimmed" className="numbers" aria-live="off">
          {describeWait(act, Math.max(now, Date.now()))}
        </Text>
      </div>
      <Button
        className="keyed"
        variant="default"
        size="xs"
        disabled={act.sending !== null}
        onClick={onUndo}
        rightSection={isOn && isHere && <Kbd size="xs">u</Kbd>}
      >
        Undo
      </Button>
    </Group>
  );
}

/** An undo that comes too late changes nothing, and says so. */
export function refuseUndo(): void {
  notifications.hide(NOTE);
  notifications.show({
    title: 'Nothing to undo',
    message: 'The last verdict was sent, and a verdict is final.',
    closeButtonProps: { 'aria-label': 'Close' },
  });
}
