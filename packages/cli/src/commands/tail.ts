// `assay tail`: decisions as they come, over restarts of the service.
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { type JsonObject, Unauthorised } from '../../../sdk-typescript/src/index.ts';
import type { Io } from '../io.ts';
import { CommandFailure, toLine } from '../output.ts';
import { openSession, type Session } from '../session.ts';
import { readEvents } from '../event-reader.ts';

interface TailOptions {
  agent?: string;
  status?: string;
  count?: string;
}

const PAUSE_MS = 1_000;
/** Longest event, in bytes: the service sends no longer one. */
const EVENT_MAX = 4_000_000;

export function addTailCommand(program: Command, io: Io): void {
  program
    .command('tail')
    .description('show decisions as they come')
    .option('--agent <id>', 'of one agent')
    .option('--status <status>', 'of one status')
    .option('--count <number>', 'end after this number')
    .action(async (options: TailOptions, command: Command) => {
      const session = await openSession(io, command.optsWithGlobals());
      let left = options.count === undefined ? Infinity : Number(options.count);
      for await (const decision of readDecisions(session)) {
        if (options.agent !== undefined && decision.agentId !== options.agent) continue;
        if (options.status !== undefined && decision.status !== options.status) continue;
        session.output.print(decision, renderDecision);
        left -= 1;
        if (left <= 0) return;
      }
    });
}

function renderDecision({
  createdAt,
  status,
  agentName,
  agentId,
  outputDecision,
  traceId,
}: JsonObject): string {
  const action = (outputDecision as JsonObject | undefined)?.action ?? '';
  return [
    toLine(createdAt, 24),
    toLine(status, 9).padEnd(9),
    toLine(agentName ?? agentId ?? '', 24),
    toLine(action, 60),
    toLine(traceId),
  ].join('  ');
}

/** Yields decisions for ever; after an interruption it goes on where it was. */
async function* readDecisions({ profile: { url, token } }: Session): AsyncGenerator<JsonObject> {
  if (token === undefined) throw new CommandFailure('Sign in first: assay login');
  let last: string | undefined;
  for (;;) {
    const headers: Record<string, string> = {
      authorization: `Bearer ${token}`,
      accept: 'text/event-stream',
    };
    if (last !== undefined) headers['last-event-id'] = last;
    const answer = await fetch(`${url}/api/v1/traces/stream`, {
      headers,
      redirect: 'manual',
    }).catch(() => null);
    if (answer?.status === 401 || answer?.status === 403)
      throw new Unauthorised('The session may not read the stream', {
        code: 'STREAM_REFUSED',
        status: answer.status,
      });
    try {
      const body = answer?.ok && answer.body ? answer.body : Readable.from([]);
      for await (const { id, event, data } of readEvents(body, EVENT_MAX)) {
        last = id ?? last;
        if (event === 'trace' && data !== undefined) yield JSON.parse(data) as JsonObject;
      }
    } catch {
      // The connection was cut: the stream begins again after the last id.
    }
    await sleep(PAUSE_MS);
  }
}
