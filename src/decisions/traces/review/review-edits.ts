// Checks the edits of an approval: the agent applies them to an action that no one here holds, so no mask may be in them.
import { canonicalize, type Json } from '@assay/json';
import { hasMarker, type Scrubber } from '@assay/scrub';
import { applyMergePatch, findLostNull } from '../../../domain/actions/merge-patch.ts';
import { AppError } from '../../../errors.ts';
import type { TraceDocument } from '../traces.model.ts';
import { readAction } from '../traces.view.ts';
import { findBinding } from './review-amendment.ts';

/** Expects an opened decision. @throws AppError `EDITS_MASKED`, `INVALID_OPERATION`, `VALIDATION_ERROR` */
export function requireExecutableEdits(
  trace: TraceDocument,
  edits: Json,
  scrubber: Scrubber,
): void {
  const action = readAction(trace);
  if (findBinding(trace) === null)
    throw new AppError(
      'INVALID_OPERATION',
      'Only the action that the agent proposed is edited: reject it instead',
    );
  if (typeof edits !== typeof action)
    throw new AppError('VALIDATION_ERROR', `edits: the action is ${describeKind(action)}`);
  const lost = findLostNull(action, edits);
  if (lost !== null)
    throw new AppError('VALIDATION_ERROR', `edits: ${lost} is null, and a patch adds no null`);
  // Stored values are scrubbed: an address in them would become a mask, and the mask would be executed.
  if (hasMarker(edits) || scrubber.scrubValue(edits).changed.length > 0)
    throw new AppError('EDITS_MASKED');
  if (canonicalize(applyMergePatch(action, edits)) === canonicalize(action))
    throw new AppError('VALIDATION_ERROR', 'edits: the patch does not change the action');
}

const describeKind = (action: Json): string =>
  typeof action === 'string' ? 'a text: give the new text' : 'an object: give a merge patch';
