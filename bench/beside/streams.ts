// A thousand readers of one organisation's event stream, and what they cost.
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { memoryOf } from '../hostile.ts';
import { WARM } from '../pairs.ts';
import type { Scene, Stage } from '../stage.ts';
import type { Bench } from '../tenants.ts';

export const STREAMS = 1000;
export const STREAMS_ENV = {
  ASSAY_LIMIT_STREAMS: String(STREAMS),
  ASSAY_LIMIT_STREAMS_USER: String(STREAMS),
};
/** Decisions a second that they are told of. */
const TOLD_PER_SECOND = 2;
const SETTLE_MS = 3000;

export interface Readers {
  /** Bytes that all of them have got. */
  bytes(): number;
  close(): void;
}

/** Opens them all; they read whatever comes. @throws Error when one is refused */
export async function openReaders(scene: Scene, { token }: Bench): Promise<Readers> {
  const { port } = new URL(scene.url);
  const request = `GET /api/v1/traces/stream?token=${token} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;
  let bytes = 0;
  const sockets: Socket[] = [];
  const open = async (): Promise<void> => {
    const socket = connect({ port: Number(port), host: '127.0.0.1', noDelay: true });
    sockets.push(socket.on('error', () => undefined));
    socket.write(request);
    const head = await new Promise<Buffer>((resolve) => void socket.once('data', resolve));
    if (!head.toString('latin1').startsWith('HTTP/1.1 200'))
      throw new Error(`a stream was answered ${head.toString('latin1', 0, 40)}`);
    socket.on('data', ({ length }) => (bytes += length));
  };
  for (let opened = 0; opened < STREAMS; opened += 50)
    await Promise.all(Array.from({ length: 50 }, open));
  return {
    bytes: () => bytes,
    close() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

let told = 0;

/** Decisions of an organisation, slowly, until it is stopped. */
export function tellSlowly({ url }: Scene, { key }: Bench): () => Promise<void> {
  let isDone = false;
  const telling = (async () => {
    while (!isDone) {
      const body = {
        agentId: 'bench',
        inputContext: { prompt: `Question ${(told += 1)}` },
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

/** MB that a thousand streams add to a server that is warm, told of decisions meanwhile. */
export async function measureStreams(stage: Stage): Promise<number> {
  const scene = await stage.scene({ env: STREAMS_ENV });
  const [organization] = scene.organizations as [Bench];
  try {
    for (let warm = 0; warm < WARM;) warm += (await scene.ingest({ connections: 64 })).operations;
    await sleep(SETTLE_MS);
    const before = memoryOf(scene.pid).now;
    const readers = await openReaders(scene, organization);
    const stop = tellSlowly(scene, organization);
    await sleep(SETTLE_MS);
    const growth = memoryOf(scene.pid).now - before;
    await stop();
    if (readers.bytes() < STREAMS * 1000) throw new Error('the streams were told of nothing');
    readers.close();
    return Math.max(0.1, growth);
  } finally {
    await scene.close();
  }
}
