// How many random cases a test tries: some in `npm test`, many in `npm run test:long`.

/** `test:long` runs every test file that calls this, and sets ASSAY_TEST_LONG. */
export function runs(short: number, long: number): number {
  return process.env.ASSAY_TEST_LONG === '1' ? long : short;
}
