// `assay decide`: asks for one action, as an agent would, and waits where a person decides.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { type Json, type JsonObject } from '../../../sdk-typescript/src/index.ts';
import type { Io } from '../io.ts';
import { CommandFailure, EXIT, toLine } from '../output.ts';
import { connectAgent, openSession } from '../session.ts';

interface DecideOptions {
  agent?: string;
  prompt?: string;
  wait?: string;
}

export function addDecisionCommands(program: Command, io: Io): void {
  program
    .command('decide <file>')
    .description('ask for the action in a file (JSON; - reads standard input)')
    .option('--agent <id>', 'agent that acts')
    .option('--prompt <text>', 'what the agent was asked')
    .option('--wait <seconds>', 'how long to wait for a person', '0')
    .action(async (file: string, options: DecideOptions, command: Command) => {
      const session = await openSession(io, command.optsWithGlobals());
      const client = connectAgent(session, { agent: options.agent });
      const body = buildBody(await readJson(io, file), options);
      const seconds = readSeconds(options.wait);
      const answer = await client.decisions.create(body);
      const traceId = String(answer.traceId);
      session.output.note(`${traceId}: ${toLine(answer.status)}`);
      const isHeld = answer.status === 'flagged' || answer.status === 'pending';
      const { status } = isHeld
        ? await client.decisions.wait(traceId, seconds * 1000)
        : { status: 'approved' };
      session.output.print({ ...answer, review: isHeld ? status : null }, () => status);
      io.exitCode = { approved: EXIT.ok, pending: EXIT.unknown }[status as string] ?? EXIT.refused;
    });
}

/** A file holds a whole decision, or the action alone. */
function buildBody(given: Json, { prompt }: DecideOptions): JsonObject {
  if (
    typeof given === 'object' &&
    given !== null &&
    !Array.isArray(given) &&
    'outputDecision' in given
  )
    return given;
  return { inputContext: { prompt: prompt ?? 'assay decide' }, outputDecision: { action: given } };
}

async function readJson({ cwd, stdin }: Io, file: string): Promise<Json> {
  const source =
    file === '-' ? await text(stdin) : await readFile(resolve(cwd, file), 'utf8').catch(() => null);
  if (source === null) throw new CommandFailure(`${file} cannot be read`);
  try {
    return JSON.parse(source) as Json;
  } catch (error) {
    throw new CommandFailure(`${file} is no JSON: ${(error as Error).message}`);
  }
}

function readSeconds(value = '0'): number {
  const seconds = Number(value);
  if (!Number.isFinite(seconds) || seconds < 0)
    throw new CommandFailure('--wait takes a number of seconds');
  return seconds;
}
