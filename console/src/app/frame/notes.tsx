// Short notes in a corner, such as "Saved". What shows them is loaded with the first one.
import { useNotifications } from '@mantine/notifications';
import { lazy, type ReactNode, Suspense, useState } from 'react';

const ShownNotes = lazy(async () => ({ default: (await import('./shown-notes.tsx')).ShownNotes }));

export function Notes(): ReactNode {
  const { notifications } = useNotifications();
  const [wasNeeded, setNeeded] = useState(false);
  if (notifications.length > 0 && !wasNeeded) setNeeded(true);
  return (
    wasNeeded && (
      <Suspense>
        <ShownNotes />
      </Suspense>
    )
  );
}
