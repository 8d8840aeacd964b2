// Tries what a client does with each wrong answer: some at a time, each before a middle of its own.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { chooseRuns, sampleItems } from '../setup/runs.ts';
import {
  type BrokenMiddle,
  type Fault,
  listFaults,
  startBrokenMiddle,
  type Step,
} from './broken-middle.ts';

/** Time for a proposal whose answer never ends, and for what is answered on a busy machine. */
export const SLOW_MS = 1_500;
export const TIMEOUT_MS = 20_000;
const PROPOSALS: readonly Step[] = ['propose', 'key', 'batch'];
const PARALLEL = 8;
const LONGEST_MS = 120_000;

export type Middle = BrokenMiddle & {
  /** From now on all is answered well. */
  mend: () => void;
  timeout: number;
};
export type FaultBody = (middle: Middle, fault: Fault) => Promise<void>;

interface Tried {
  step: Step;
  upstream: string;
  /** Leaves out the slow ones. */
  isQuick?: boolean;
}

/** So that one that hangs is named. */
async function giveUp(): Promise<never> {
  await sleep(LONGEST_MS, undefined, { ref: false });
  throw new Error(`no end within ${LONGEST_MS} ms`);
}

/** Tries every wrong answer at a step, some at a time. The slow ones wait for their time-out, several times. */
export async function tryFaults(
  { step, upstream, isQuick = chooseRuns(1, 0) === 1 }: Tried,
  body: FaultBody,
): Promise<void> {
  const all = listFaults(step);
  expect(all.length).toBeGreaterThan(40);
  const left = sampleItems(all).filter(({ isSlow }) => !isSlow || !isQuick);
  const work = async (): Promise<void> => {
    for (let fault = left.shift(); fault; fault = left.shift()) {
      const middle = await startBrokenMiddle(upstream);
      middle.breakAt(step, fault);
      try {
        const timeout = fault.isSlow && PROPOSALS.includes(step) ? SLOW_MS : TIMEOUT_MS;
        const mend = (): void => middle.breakAt(step, undefined);
        await Promise.race([body({ ...middle, mend, timeout }, fault), giveUp()]);
        expect(middle.strays).toEqual([]);
      } catch (cause) {
        throw new Error(`${step} answered by ${fault.name}`, { cause });
      } finally {
        await middle.close();
      }
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
}
