// Opens a thousand readers of one organisation's event stream, and measures their cost.
import { setTimeout as sleep } from 'node:timers/promises';
import { readMemory } from '../hostile/hostile.ts';
import { warmUp } from '../pairs.ts';
import { stopChild, start, waitForMessage } from '../processes.ts';
import type { Scene, Stage } from '../stage.ts';
import type { Bench } from '../tenants.ts';
import type { ReadOrder } from '../wire.ts';

export const STREAMS = 1000;
export const STREAMS_ENV = {
  ASSAY_LIMIT_STREAMS: String(STREAMS),
  ASSAY_LIMIT_STREAMS_USER: String(STREAMS),
};
/** Decisions per second that the streams carry. */
const TOLD_PER_SECOND = 2;
const TELLING_MS = 3000;

export interface Readers {
  /** Bytes that all of them have got. */
  readBytes(): Promise<number>;
  close(): Promise<void>;
}

/** Opens them all; they read whatever comes. @throws Error when one is refused */
export async function openReaders(scene: Scene, { token }: Bench): Promise<Readers> {
  const { port } = new URL(scene.url);
  const child = start('bench/beside/reader.ts');
  await waitForMessage(child, 'ready');
  const path = `/api/v1/traces/stream?token=${token}`;
  child.send({ port: Number(port), path, streams: STREAMS } satisfies ReadOrder);
  await waitForMessage(child, 'reading');
  return {
    async readBytes() {
      const read = waitForMessage(child, 'read');
      child.send('tell');
      return (await read).bytes;
    },
    close: () => stopChild(child),
  };
}

let decisions = 0;

/** Ingests decisions of an organisation at a low rate until stopped. */
export function runSlowIngestion({ url }: Scene, { key }: Bench): () => Promise<void> {
  let isDone = false;
  const telling = (async () => {
    while (!isDone) {
      const body = {
        agentId: 'bench',
        inputContext: { prompt: `Question ${(decisions += 1)}` },
        outputDecision: { action: 'reply', rationale: 'It is answered as it was asked.' },
      };
      const headers = { 'content-type': 'application/json', 'x-api-key': key };
      const answer = await fetch(`${url}/api/v1/traces`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      await answer.arrayBuffer();
      await sleep(1000 / TOLD_PER_SECOND);
    }
  })();
  return () => {
    isDone = true;
    return telling;
  };
}

/** Measures the MB that a thousand streams with events add to a warm server. */
export async function measureStreams(stage: Stage): Promise<number> {
  const scene = await stage.openScene({ env: STREAMS_ENV });
  const [organization] = scene.organizations as [Bench];
  try {
    await warmUp(() => scene.runIngestion({ connections: 64 }));
    await scene.settle();
    const before = readMemory(scene.pid).now;
    const readers = await openReaders(scene, organization);
    const stop = runSlowIngestion(scene, organization);
    await sleep(TELLING_MS);
    const growth = readMemory(scene.pid).now - before;
    await stop();
    if ((await readers.readBytes()) < STREAMS * 1000)
      throw new Error('the streams received no events');
    await readers.close();
    return Math.max(0.1, growth);
  } finally {
    await scene.close();
  }
}
