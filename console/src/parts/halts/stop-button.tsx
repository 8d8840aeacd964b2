// A button that opens the dialog to stop something; the dialog is loaded with the first use.
import { Button } from '@mantine/core';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useRights } from '../../session/session.ts';
import { Icon } from '../icons.tsx';
import type { StopTarget } from './stop-dialog.tsx';

const StopDialog = lazy(async () => ({ default: (await import('./stop-dialog.tsx')).StopDialog }));

interface DialogProps {
  isOpen: boolean;
  /** What is stopped, or what is chosen first; null: nothing yet. */
  target: StopTarget | null;
  /** Whether nothing else can be chosen. */
  isFixed?: boolean;
  onClose: () => void;
}

/** The dialog, loaded when it is first opened, and empty each time; it gives the focus back when it is closed. */
export function LazyStopDialog({ isOpen, ...props }: DialogProps): ReactNode {
  const [{ wasOpen, openings }, setSeen] = useState({ wasOpen: false, openings: 0 });
  if (isOpen !== wasOpen) setSeen({ wasOpen: isOpen, openings: openings + (isOpen ? 1 : 0) });
  if (openings === 0) return null;
  return (
    <Suspense>
      <StopDialog key={openings} isOpen={isOpen} {...props} />
    </Suspense>
  );
}

interface Props {
  label: string;
  target: StopTarget;
  size?: 'xs' | 'sm';
}

/** Stops one thing: what a page is about. */
export function StopButton({ label, target, size = 'xs' }: Props): ReactNode {
  const { mayDecide } = useRights();
  const [isOpen, setOpen] = useState(false);
  if (!mayDecide) return null;
  return (
    <>
      <Button
        variant="default"
        size={size}
        c="var(--assay-blocked)"
        leftSection={<Icon name="stop" size={14} />}
        onClick={() => setOpen(true)}
      >
        {label}
      </Button>
      <LazyStopDialog isOpen={isOpen} target={target} isFixed onClose={() => setOpen(false)} />
    </>
  );
}
