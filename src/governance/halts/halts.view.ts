// The public view of a stop.
import type { Stop } from '../../domain/halt/stops.ts';
import type { HaltView } from './halts.schemas.ts';

export function toHaltView(stop: Stop, resumption: HaltView['resumption']): HaltView {
  const { id, scope, target, name, state, since, resumedAt, sequence, history } = stop;
  const reason = history.findLast(({ reason: given }) => given !== null)?.reason ?? null;
  return {
    _id: id,
    id,
    scope,
    target,
    name,
    state,
    reason,
    by: history[0]?.by ?? null,
    cause: history[0]?.cause ?? null,
    since,
    resumedAt,
    hashChain: { sequence },
    resumption,
  };
}
