// A process that reads an export of spans in a thread that starts from its source, and prints what it holds.
import { createThreads } from '../../../src/platform/threads/threads.ts';

const threads = createThreads();
const pool = threads.open<object, { calls: unknown[] }>('otlp');
// A thread does not keep its process alive.
const alive = setInterval(() => undefined, 1000);
const body = { bytes: Buffer.from('{"resourceSpans":[]}'), isProtobuf: false };
const origin = { tenant: '', client: '', isAbandoned: () => false };
const { calls } = await pool.sendInTurn(body, origin);
process.stdout.write(JSON.stringify(calls));
await threads.close();
clearInterval(alive);
