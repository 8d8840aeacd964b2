// Asks again for what the service is still working on: soon at first, then less and less often, so that a page left open asks little.

const LONGEST_MS = 60_000;
const GROWTH = 1.3;

interface Asked {
  state: { dataUpdateCount: number; errorUpdateCount: number };
}

/** The time until the next question, after as many answers as there were. */
export const waitLonger = (firstMs: number, { state }: Asked): number =>
  Math.min(LONGEST_MS, firstMs * GROWTH ** (state.dataUpdateCount + state.errorUpdateCount));
