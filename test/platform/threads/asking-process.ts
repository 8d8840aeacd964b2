// A process that prints how large the young generation of its limited thread grows.
import { createLastingThread } from '../../../src/platform/answering-thread.ts';
import type { Asked } from './asked-thread.ts';

const thread = createLastingThread<Asked>({
  script: new URL('asked-thread.mjs', import.meta.url),
  workerData: null,
  resourceLimits: { maxYoungGenerationSizeMb: 24, maxOldGenerationSizeMb: 256 },
});
// A thread does not keep its process alive.
const alive = setInterval(() => undefined, 1000);
process.stdout.write(String(await thread.sendRequest('grow')));
await thread.close();
clearInterval(alive);
