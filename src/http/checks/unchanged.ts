// Refuses a change of what others have changed since the caller read it: `If-Match` names the `updatedAt` that was read.
import { AppError } from '../../errors.ts';

/** An instant in quotes, as entity tags are; proxies may mark one as weak. */
const TAG = /^(?:W\/)?"([^"]{1,40})"$/;

/** Null: the caller does not say what it has read. @throws AppError `VALIDATION_ERROR` */
function parseReadAt(header: string | string[] | undefined): Date | null {
  if (header === undefined || header === '*') return null;
  const [, text = ''] = TAG.exec(String(header)) ?? [];
  const at = new Date(text);
  if (Number.isNaN(at.getTime()))
    throw new AppError(
      'VALIDATION_ERROR',
      'If-Match: must be the updatedAt that was read, in quotes',
    );
  return at;
}

/**
 * Call it in the transaction of the change: of two changes at the same moment one is run again, and finds the other.
 * @throws AppError `VALIDATION_ERROR`, `CHANGED_SINCE`
 */
export async function requireUnchanged(
  header: string | string[] | undefined,
  readLastChange: () => Promise<Date | null>,
): Promise<void> {
  const readAt = parseReadAt(header);
  if (!readAt) return;
  const changedAt = await readLastChange();
  if (changedAt?.getTime() === readAt.getTime()) return;
  throw new AppError('CHANGED_SINCE', undefined, {
    data: { updatedAt: changedAt?.toISOString() ?? null },
  });
}
