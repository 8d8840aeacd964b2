// How many cases a test tries: some in `npm test`, many in `npm run test:long`.

/** A test that calls this is tagged `varied`, or its file is; `test:long` runs it too, and sets ASSAY_TEST_LONG. */
export function chooseRuns(short: number, long: number): number {
  return process.env.ASSAY_TEST_LONG === '1' ? long : short;
}

/** One in twelve of a list in `npm test`; all of it in `npm run test:long`, which tries more of each. */
export const sampleItems = <T>(all: readonly T[]): T[] =>
  all.filter((_, at) => at % chooseRuns(12, 1) === 0);

/** One in twelve of a list in `npm test`, the others in `npm run test:long`, which tries the same of each. */
export const selectShare = <T>(all: readonly T[]): T[] =>
  all.filter((_, at) => (at % 12 === 0) === (chooseRuns(0, 1) === 0));
