// The effects of a decision, as it commits to them, and as the edits of its approval change them.
import type { Json } from '@assay/json';
import { readSealed } from '../../../domain/record/commitments.ts';
import { EFFECTS_MAX, fillEffect } from '@assay/policy';
import { deriveEffectKey } from '../../../domain/actions/effect-keys.ts';
import { AppError } from '../../../errors.ts';
import type { TraceDocument } from '../traces.model.ts';

/** An effect as `facts` commits to it. */
interface FactEffect {
  template: string;
  name: string | null;
  key: string | null;
}

/** Reads the effects of an opened decision. */
function readEffects({ sealed }: TraceDocument): FactEffect[] {
  return readSealed<{ effects?: FactEffect[] }>(sealed, 'facts')?.effects ?? [];
}

/**
 * The keys of what the claimed action brings about; what cannot be compared must not be executed. `edited`: the action
 * with its edits; null: it has none.
 * @throws AppError `INVALID_OPERATION` when an argument of an effect is missing, or there are too many
 */
export function listEffectKeys(
  trace: TraceDocument,
  { edited, secret }: { edited: Json; secret: string },
): string[] {
  return readEffects(trace).map(({ template, key }, index) => {
    const filled = edited === null ? null : fillEffect(template, edited);
    const given = edited === null ? key : filled && deriveEffectKey(secret, filled);
    const found = index < EFFECTS_MAX ? given : null;
    if (found === null)
      throw new AppError(
        'INVALID_OPERATION',
        `The effect ${template} cannot be compared: the action lacks its arguments, or has more than ${EFFECTS_MAX} effects`,
      );
    return found;
  });
}
