// The dialogs of the review queue.
import type { ReactNode } from 'react';
import { AssignDialog } from './assign-dialog.tsx';
import { EditDialog } from './edit-dialog.tsx';
import { GrantDialog } from './verdicts/grant-dialog.tsx';
import { RejectDialog } from './reject-dialog.tsx';
import type { ReviewItem } from './review-queries.ts';
import type { Verdict } from './verdicts/send-verdicts.ts';

/** The one that is open. */
export type Dialog = 'reject' | 'edit' | 'grant' | 'assign' | null;

interface DialogsProps {
  open: Dialog;
  /** Absent: nothing is chosen. */
  item: ReviewItem | undefined;
  count: number;
  onClose: () => void;
  onDecide: (verdict: Verdict) => void;
}

export function Dialogs({ open, item, count, onClose, onDecide }: DialogsProps): ReactNode {
  if (!item) return null;
  return (
    <>
      <RejectDialog
        isOpen={open === 'reject'}
        count={count}
        onClose={onClose}
        onReject={(reason) => onDecide({ decision: 'reject', reason })}
      />
      <EditDialog
        isOpen={open === 'edit'}
        item={item}
        onClose={onClose}
        onApprove={(edits) => onDecide({ decision: 'approve', edits })}
      />
      <GrantDialog
        isOpen={open === 'grant'}
        item={item}
        onClose={onClose}
        onApprove={(grant) => onDecide({ decision: 'approve', grant })}
      />
      <AssignDialog isOpen={open === 'assign'} item={item} onClose={onClose} />
    </>
  );
}
