// Stops: from the moment something was halted to its resumption, as the entries of the chain say.
import { type HaltRecord, type HaltScope, type HaltState, isBinding, toHaltName } from './halt.ts';

/** The time from a halt to its resumption. */
export interface Stop {
  /** That of the entry with which it began. */
  id: string;
  scope: HaltScope;
  target: string;
  /** What is halted, as people call it; null: erased. */
  name: string | null;
  state: HaltState;
  /** When it began. */
  since: Date;
  resumedAt: Date | null;
  /** Where the newest entry about it stands. */
  sequence: number;
  /** Oldest first. */
  history: HaltRecord[];
}

/** Joins the halt entries of an organisation to stops, the newest first. */
export function joinStops(records: readonly HaltRecord[]): Stop[] {
  const open = new Map<string, Stop>();
  const stops: Stop[] = [];
  for (const record of records) {
    const name = toHaltName(record.scope, record.target);
    const stop = open.get(name);
    if (stop) addToStop(stop, record);
    else if (isBinding(record)) {
      const begun = beginStop(record);
      open.set(name, begun);
      stops.push(begun);
    }
    if (!isBinding(record)) open.delete(name);
  }
  return stops.reverse();
}

function beginStop(record: HaltRecord): Stop {
  const { id, scope, target, name, state, createdAt, sequence } = record;
  const history = [record];
  return { id, scope, target, name, state, since: createdAt, resumedAt: null, sequence, history };
}

function addToStop(stop: Stop, record: HaltRecord): void {
  stop.state = record.state;
  stop.sequence = record.sequence;
  stop.resumedAt = record.state === 'resumed' ? record.createdAt : null;
  stop.history.push(record);
}
