// Keys that work on every page: `g` and a letter goes to a page, `?` shows all keys.
import { useNavigate } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useSingleKeys } from '../../parts/keys/single-keys.ts';
import { useRights } from '../../session/session.ts';
import { sections } from '../navigation.ts';

const KeysDialog = lazy(async () => ({ default: (await import('./keys-dialog.tsx')).KeysDialog }));

export function FrameKeys(): ReactNode {
  const navigate = useNavigate();
  const rights = useRights();
  const [isOpen, setOpen] = useState<boolean>();
  const reached = sections
    .flatMap(({ destinations }) => destinations)
    .filter(({ letter, isFor }) => letter !== undefined && (isFor?.(rights) ?? true));
  useSingleKeys(
    {
      ...Object.fromEntries(
        reached.map(({ letter, to }) => [`g ${letter}`, () => void navigate({ to })]),
      ),
      '?': () => setOpen(true),
    },
    {
      '?': 'These keys',
      ...Object.fromEntries(reached.map(({ letter, label }) => [`g ${letter}`, `Go to ${label}`])),
    },
  );
  return (
    isOpen !== undefined && (
      <Suspense>
        <KeysDialog isOpen={isOpen} onClose={() => setOpen(false)} />
      </Suspense>
    )
  );
}
