// `assay replay`: what a policy would have done to past decisions, for people and for checks of a change.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { JsonObject } from '../../../sdk-typescript/src/index.ts';
import type { Io } from '../io.ts';
import { CommandFailure, EXIT, renderTable, toLine } from '../output.ts';
import { connectPerson, openSession } from '../session.ts';

interface ReplayOptions {
  limit?: string;
  failOnChange?: boolean;
}

const PAUSE_MS = 300;

export function addReplayCommand(program: Command, io: Io): void {
  program
    .command('replay <policy>')
    .description('try a policy (a JSON file) on past decisions')
    .option('--limit <number>', 'how many decisions, the newest first')
    .option('--fail-on-change', 'exit with 1 when any verdict would differ')
    .action(async (file: string, options: ReplayOptions, command: Command) => {
      const session = await openSession(io, command.optsWithGlobals());
      const client = connectPerson(session);
      const body: JsonObject = { policy: await readPolicy(resolve(io.cwd, file)) };
      if (options.limit !== undefined) body.limit = Number(options.limit);
      const started = (await client.send('POST', '/api/v1/policies/_new/replay', { body })).data;
      const path = `/api/v1/policies/replays/${String(started._id)}`;
      let run = started;
      while (run.finishedAt === null || run.finishedAt === undefined) {
        await sleep(PAUSE_MS);
        run = (await client.send('GET', path)).data;
        session.output.note(`${String(run.done)} of ${String(run.total ?? '?')}`);
      }
      session.output.print(run, renderReplay);
      if (run.state !== 'done')
        throw new CommandFailure(`The replay ended as ${toLine(run.state)}`);
      const changed = Number(run.allowToBlock) + Number(run.blockToAllow);
      if (options.failOnChange && changed > 0) io.exitCode = EXIT.refused;
    });
}

async function readPolicy(file: string): Promise<JsonObject> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as JsonObject;
  } catch (error) {
    throw new CommandFailure(`${file}: ${(error as Error).message}`);
  }
}

function renderReplay(run: JsonObject): string {
  const counts = renderTable(
    ['CHANGE', 'DECISIONS'],
    [
      ['allowed, would be blocked', Number(run.allowToBlock)],
      ['blocked, would be allowed', Number(run.blockToAllow)],
      ['approved, would be held', Number(run.approvedToFlagged)],
      ['held, would be approved', Number(run.flaggedToApproved)],
      ['unchanged', Number(run.unchanged)],
      ['cannot be told', Number(run.cannotTell)],
      ...(Number(run.halting) > 0 ? [['halted as well', Number(run.halting)]] : []),
    ],
  );
  const examples = run.examples as JsonObject[];
  if (examples.length === 0) return counts;
  const rows = examples.map(({ traceId, from, to }) => [
    String(traceId),
    toLine(from),
    toLine(to ?? 'cannot be told'),
  ]);
  return `${counts}\n\n${renderTable(['DECISION', 'WAS', 'WOULD BE'], rows)}`;
}
