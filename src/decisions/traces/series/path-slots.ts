// Which names of a day the counted paths may have: callers choose names, and the first ones have a place of their own.
import { type DecisionPath, parsePathKey } from '../../../domain/counts/decision-path.ts';
import {
  findFreeAgent,
  findPolicySet,
  NameSlots,
  resolvePath,
} from '../../../domain/counts/name-slots.ts';
import type { Models } from '../../../models.ts';
import { loadDayKeys, toDay } from './day-keys.ts';

/** A path, and the time of its decision. */
export interface PlacedPath {
  workspaceId: string;
  at: Date;
  path: DecisionPath;
}

const isFree = ({ path }: PlacedPath): boolean =>
  findFreeAgent(path) !== null || findPolicySet(path) !== null;

/** Resolves with what replaces the names that have no place. */
export async function loadDaySlots(
  models: Models,
  paths: readonly PlacedPath[],
  context: Parameters<typeof loadDayKeys>[2],
): Promise<(placed: PlacedPath) => DecisionPath> {
  const days = [...new Set(paths.filter(isFree).map(({ at }) => toDay(at)))];
  const counted = await loadDayKeys(models, { dimension: 'path', days }, context);
  const slots = new Map(days.map((day) => [day, openSlots(counted.get(day) ?? [])]));
  return ({ at, path }) => {
    const ofDay = slots.get(toDay(at));
    return ofDay ? resolvePath(path, ofDay) : path;
  };
}

function openSlots(keys: readonly string[]) {
  const counted = keys.flatMap((key) => parsePathKey(key) ?? []);
  return {
    agents: new NameSlots(counted.map(findFreeAgent).filter((agent) => agent !== null)),
    sets: new NameSlots(counted.map(findPolicySet).filter((set) => set !== null)),
  };
}
