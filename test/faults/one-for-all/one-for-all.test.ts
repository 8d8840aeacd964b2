// One organisation does its worst at each shared resource; another does an ordinary thing there in at most three times its usual time.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { resources } from './resources.ts';
import { openStage, type Stage, whileAttacked } from './stage.ts';

/** Of each organisation. */
const DECISIONS = { ada: 4000, bob: 200 };
const RATIO = 3;
/** Shorter times count as this: below it the scheduler of a busy machine is measured. */
const USUAL_MS = 15;
const USES = 9;
const WARM_UPS = 3;

// A server for each test: what an attack leaves behind is not the next one's.
let stage: Stage;
let used = 0;
beforeEach(async () => {
  stage = await openStage(DECISIONS);
});
afterEach(() => stage.close());

async function measure(use: (nth: number) => Promise<unknown>, count: number): Promise<number> {
  const times: number[] = [];
  for (let at = 0; at < count; at += 1) {
    const began = performance.now();
    await use((used += 1));
    times.push(performance.now() - began);
  }
  times.sort((a, b) => a - b);
  return times[Math.floor(times.length / 2)] ?? NaN;
}

test.for(resources)('$name', async ({ name, connections, uses = USES, prepare, use }) => {
  const requests = await prepare(stage);
  const measureUse = (count: number): Promise<number> => measure((nth) => use(stage, nth), count);
  await measureUse(WARM_UPS);
  const alone = await measureUse(uses);
  const orders = { url: stage.url, requests, connections };
  const { result: attacked, report } = await whileAttacked(orders, () => measureUse(uses));
  const ratio = attacked / Math.max(USUAL_MS, alone);
  const figures = `${alone.toFixed(1)} ms alone, ${attacked.toFixed(1)} ms attacked, ratio ${ratio.toFixed(2)}`;
  console.info(`${name}: ${figures}; ${JSON.stringify(report)}`);
  expect(ratio, figures).toBeLessThanOrEqual(RATIO);
});
