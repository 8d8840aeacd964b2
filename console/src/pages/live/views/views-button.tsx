// The button that opens the saved views: saves the line, and lists what is saved.
import { Button } from '@mantine/core';
import { lazy, type ReactNode, Suspense, useState } from 'react';

const ViewsDialog = lazy(async () => ({
  default: (await import('./views-dialog.tsx')).ViewsDialog,
}));

interface Props {
  line: string;
  onApply: (line: string) => void;
}

export function ViewsButton({ line, onApply }: Props): ReactNode {
  const [openings, setOpenings] = useState(0);
  const [isOpen, setOpen] = useState(false);
  function openDialog(): void {
    setOpenings(openings + 1);
    setOpen(true);
  }
  return (
    <>
      <Button variant="default" onClick={openDialog}>
        Views
      </Button>
      {openings > 0 && (
        <Suspense>
          <ViewsDialog
            key={openings}
            line={line}
            isOpen={isOpen}
            onClose={() => setOpen(false)}
            onApply={onApply}
          />
        </Suspense>
      )}
    </>
  );
}
