// Turns at work of which little may be done at a time: lines take them in order, and the longest gives way when too many wait.
import { FairQueue } from './fair-queue.ts';

/** Gives back what was taken. */
export type Leave = () => void;

export interface TurnQueue {
  /** At once where there is room; null when the line has to give way. */
  take(line: string): Leave | Promise<Leave | null>;
}

export interface TurnLimits {
  /** TurnQueue at a time. */
  atATime: number;
  /** That wait at most. */
  maxWaiting: number;
}

export function createTurnQueue({ atATime, maxWaiting }: TurnLimits): TurnQueue {
  let taken = 0;
  const waiting = new FairQueue<(leave: Leave | null) => void>(maxWaiting);

  function leave(): void {
    const next = waiting.shift();
    if (next) next(leave);
    else taken -= 1;
  }

  return {
    take(line) {
      if (taken < atATime) {
        taken += 1;
        return leave;
      }
      return new Promise((resolve) => {
        waiting.push(line, resolve)?.(null);
      });
    },
  };
}
