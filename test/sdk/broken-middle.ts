// A server between a client and the real service that answers one kind of request wrongly, in every way that was thought of.
// Started as a process it prints its address: node --import tsx test/sdk/broken-middle.ts --upstream URL --step claim --fault reset
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request } from 'node:http';
import {
  type AddressInfo,
  createServer as createRawServer,
  type Server,
  type Socket,
} from 'node:net';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { hashJson } from '../../packages/sdk-typescript/src/digest.ts';

/** What a client asks for. */
export const STEPS = ['key', 'propose', 'batch', 'wait', 'claim', 'outcome', 'withdraw'] as const;
export type Step = (typeof STEPS)[number];

export interface Fault {
  name: string;
  /** Whether it is no answer, so that a call may run where its owner wants that. */
  isAway: boolean;
  /** Whether it ends only when the client gives up. */
  isSlow?: boolean;
  answer: (exchange: Exchange) => void;
}

interface Exchange {
  socket: Socket;
  /** The names in the request, which a wrong answer repeats. */
  names: Record<string, string>;
  /** Another address, which is no place for a key. */
  elsewhere: string;
}

interface Vector {
  name: string;
  answer: {
    status: number;
    headers?: Record<string, string>;
    body?: unknown;
    text?: string;
    lost?: true;
    cut?: true;
  };
  end: string;
  isAway?: boolean;
}

const GROUPS: Partial<Record<Step, string>> = {
  propose: 'proposals',
  wait: 'verdicts',
  claim: 'claims',
  outcome: 'outcomes',
  withdraw: 'withdrawals',
};
/** What is no wrong answer. */
const RIGHT = new Set(['approved', 'held', 'pending', 'none', 'claimed', 'recorded', 'withdrawn']);
const DRIP_MS = 50;
const LONG_BODY_BYTES = 9 * 1024 * 1024;

const OK = 'HTTP/1.1 201 Created\r\nContent-Type: application/json\r\n';
const APPROVED = '{"success":true,"data":{"traceId":"trc_1","status":"approved"';

function write(text: string | Buffer, then: 'end' | 'reset' | 'hang' = 'end') {
  return ({ socket }: Exchange): void => {
    socket.write(text, () => {
      if (then === 'end') socket.end();
      // What was written arrives first.
      if (then === 'reset') setTimeout(() => socket.resetAndDestroy(), 5);
    });
  };
}

function drip(head: string, piece: string) {
  return ({ socket }: Exchange): void => {
    socket.write(head);
    const timer = setInterval(() => socket.write(piece), DRIP_MS);
    socket.once('close', () => clearInterval(timer));
  };
}

const long = Buffer.from(`${APPROVED},"x":"${'x'.repeat(LONG_BODY_BYTES)}"}}`);
const zipped = gzipSync(long);

/** What goes wrong on the wire, at every step. */
const SOCKET_FAULTS: readonly Fault[] = [
  { name: 'reset', isAway: true, answer: ({ socket }) => void socket.resetAndDestroy() },
  { name: 'closed', isAway: true, answer: ({ socket }) => void socket.end() },
  { name: 'silence', isAway: true, isSlow: true, answer: () => undefined },
  { name: 'half a status line', isAway: true, answer: write('HTTP/1.1 20') },
  { name: 'half a header', isAway: true, answer: write(`${OK}X-Requ`, 'reset') },
  { name: 'half a header, then silence', isAway: true, isSlow: true, answer: write(OK, 'hang') },
  { name: 'headers without end', isAway: true, isSlow: true, answer: drip(OK, 'X-A: 1\r\n') },
  { name: 'no HTTP', isAway: false, answer: write('SSH-2.0-OpenSSH_9.6\r\n') },
  { name: 'bytes', isAway: false, answer: write(Buffer.from([0x15, 3, 1, 0, 2, 2, 80])) },
  {
    name: 'half a body, then a reset',
    isAway: false,
    answer: write(`${OK}Content-Length: 900\r\n\r\n${APPROVED}`, 'reset'),
  },
  {
    name: 'half a body, then the end',
    isAway: false,
    answer: write(`${OK}Content-Length: 900\r\n\r\n${APPROVED}`),
  },
  {
    name: 'half a body, then silence',
    isAway: false,
    isSlow: true,
    answer: write(`${OK}Content-Length: 900\r\n\r\n${APPROVED}`, 'hang'),
  },
  {
    name: 'a body without end',
    isAway: false,
    isSlow: true,
    answer: drip(`${OK}Transfer-Encoding: chunked\r\n\r\n`, '1\r\n \r\n'),
  },
  {
    name: 'a slow body',
    isAway: false,
    isSlow: true,
    answer: drip(`${OK}Content-Length: 900\r\n\r\n${APPROVED}`, ' '),
  },
  {
    name: 'a chunk of another length',
    isAway: false,
    answer: write(`${OK}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`),
  },
  {
    name: 'a body above eight megabytes',
    isAway: false,
    answer: write(
      Buffer.concat([Buffer.from(`${OK}Content-Length: ${long.length}\r\n\r\n`), long]),
    ),
  },
  {
    name: 'a small body that unpacks to above eight megabytes',
    isAway: false,
    answer: write(
      Buffer.concat([
        Buffer.from(`${OK}Content-Encoding: gzip\r\nContent-Length: ${zipped.length}\r\n\r\n`),
        zipped,
      ]),
    ),
  },
  {
    name: 'a body that is no gzip',
    isAway: false,
    answer: write(`${OK}Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}`),
  },
  {
    name: 'a text that is no UTF-8',
    isAway: false,
    answer: write(
      Buffer.concat([
        Buffer.from(`${OK}Content-Length: 5\r\n\r\n{"`),
        Buffer.from([0xff]),
        Buffer.from('"}'),
      ]),
    ),
  },
  ...[301, 302, 303, 307, 308].map((status): Fault => ({
    name: `a redirect ${status} to another address`,
    isAway: false,
    answer: ({ socket, elsewhere }) => {
      const head = `HTTP/1.1 ${status} Moved\r\nLocation: ${elsewhere}/login\r\n`;
      socket.end(`${head}Content-Length: 0\r\n\r\n`);
    },
  })),
];

/** Every way in which a step is answered wrongly. */
export function listFaults(step: Step): Fault[] {
  const vectors = JSON.parse(readFileSync('test/vectors/sdk/answers.json', 'utf8')) as Record<
    string,
    Vector[]
  >;
  const group = GROUPS[step];
  // A key and a batch have no vectors of their own: what answers a proposal answers neither.
  const wrong = vectors[group ?? 'proposals']!.filter(
    ({ answer, end, isAway }) =>
      !answer.lost && !answer.cut && !RIGHT.has(end) && (group !== undefined || isAway === false),
  );
  return [
    ...SOCKET_FAULTS,
    ...wrong.map(({ name, answer, isAway = false }): Fault => ({
      name,
      isAway,
      answer: ({ socket, names }) => socket.end(render(answer, names)),
    })),
  ];
}

function render({ status, headers = {}, body, text }: Vector['answer'], names: object): string {
  let content = text ?? (body === undefined ? '' : JSON.stringify(body));
  for (const [from, to] of Object.entries(names)) content = content.replaceAll(from, String(to));
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length =
    status === 204 || status === 304 ? '' : `Content-Length: ${Buffer.byteLength(content)}\r\n`;
  const sent = status === 204 || status === 304 ? '' : content;
  return `HTTP/1.1 ${status} Wrong\r\n${lines.join('')}${length}Connection: close\r\n\r\n${sent}`;
}

function findStep({ method, url = '' }: IncomingMessage): Step | undefined {
  const [path = ''] = url.split('?');
  if (path.endsWith('/auth/key')) return 'key';
  if (path.endsWith('/traces/batch')) return 'batch';
  if (method === 'POST' && path.endsWith('/traces')) return 'propose';
  if (method === 'GET' && /\/traces\/[^/]+$/.test(path)) return 'wait';
  if (method === 'POST' && path.endsWith('/executions')) return 'claim';
  if (method === 'PATCH' && /\/executions\/[^/]+$/.test(path)) return 'outcome';
  return path.endsWith('/withdraw') ? 'withdraw' : undefined;
}

/** Makes a wrong answer name what was asked for, so that it is wrong in nothing else. */
async function readNames(url: string, body: string): Promise<Record<string, string>> {
  const [, trace, execution] = /\/traces\/([^/?]+)(?:\/executions\/([^/?]+))?/.exec(url) ?? [];
  const names: Record<string, string> = {};
  if (trace) names.trc_1 = trace;
  if (execution) names.exe_1 = execution;
  const { outputDecision } = JSON.parse(body || '{}') as { outputDecision?: { action: never } };
  if (!outputDecision) return names;
  const digest = await hashJson(outputDecision.action);
  const text = JSON.stringify(['0'.repeat(32), 'rawAction', digest]);
  const known = '722b6a1d95b79f1880517c8f66949aa059a5204c29c8ec0c73a586d03eb3095d';
  names[known] = createHash('sha256').update(text).digest('hex');
  return names;
}

export interface BrokenMiddle {
  url: string;
  /** The steps that were asked for, in order. */
  asked: Step[];
  /** What reached the other address. */
  strays: string[];
  /** Changes what is answered wrongly from now on; undefined: nothing. */
  breakAt: (step: Step, fault: Fault | undefined) => void;
  close: () => Promise<void>;
}

const IS_HTTP = /^[A-Z]+ \S+ HTTP\/1/;

export async function startBrokenMiddle(upstream: string): Promise<BrokenMiddle> {
  const strays: string[] = [];
  const asked: Step[] = [];
  const broken = new Map<Step, Fault>();
  const other = createRawServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      const text = data.toString('latin1');
      // The client of a database that had this port before may still ask for it.
      if (IS_HTTP.test(text)) strays.push(text);
    });
    socket.end(`${OK}Content-Length: 2\r\n\r\n{}`);
  });
  const elsewhere = await listen(other);
  const server = createServer((incoming, outgoing) => {
    const parts: Buffer[] = [];
    incoming.on('data', (part: Buffer) => parts.push(part));
    incoming.on('end', () => void answer(Buffer.concat(parts)));
    async function answer(body: Buffer): Promise<void> {
      const step = findStep(incoming);
      if (step) asked.push(step);
      const fault = step && broken.get(step);
      if (fault) {
        const names = await readNames(incoming.url ?? '', body.toString());
        const { socket } = incoming;
        socket.on('error', () => undefined);
        return fault.answer({ socket, names, elsewhere });
      }
      const { method, headers } = incoming;
      const passed = request(upstream + incoming.url, { method, headers }, (reply) => {
        outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
        reply.pipe(outgoing);
      });
      passed.on('error', () => outgoing.destroy());
      outgoing.on('close', () => passed.destroy());
      passed.end(body);
    }
  });
  const url = await listen(server);
  return {
    url,
    asked,
    strays,
    breakAt(step, fault) {
      if (fault) broken.set(step, fault);
      else broken.delete(step);
    },
    async close() {
      server.closeAllConnections();
      await Promise.all([server, other].map((each) => new Promise((done) => each.close(done))));
    },
  };
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      upstream: { type: 'string' },
      step: { type: 'string' },
      fault: { type: 'string' },
      list: { type: 'boolean' },
    },
  });
  const step = values.step as Step;
  if (values.list)
    for (const { name, isAway } of listFaults(step)) console.log(JSON.stringify({ name, isAway }));
  else {
    const middle = await startBrokenMiddle(values.upstream!);
    middle.breakAt(
      step,
      listFaults(step).find(({ name }) => name === values.fault),
    );
    console.log(JSON.stringify({ url: middle.url }));
    process.on('SIGTERM', () => {
      console.log(JSON.stringify({ asked: middle.asked, strays: middle.strays }));
      process.exit();
    });
  }
}
