// `assay export` and `assay audit-bundle`: files for an auditor.
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { Command } from 'commander';
import type { Io } from '../io.ts';
import { CommandFailure } from '../output.ts';
import { connectPerson, openSession, type Session } from '../session.ts';

interface BundleOptions {
  output: string;
  from?: string;
  to?: string;
  disclose?: string[];
}

export function addExportCommands(program: Command, io: Io): void {
  program
    .command('export')
    .description('save the chain as a bundle')
    .option('-o, --output <file>', 'file to write', 'assay-bundle.ndjson')
    .action(async ({ output }: { output: string }, command: Command) => {
      const session = await openSession(io, command.optsWithGlobals());
      const { data } = await connectPerson(session).send('GET', '/api/v1/hash-chain/status');
      await download(session, '/api/v1/hash-chain/export', output);
      // Kept apart from the bundle, it shows later that nothing before it was changed.
      const pin = `${String(data.lastSequence)}:${String(data.lastChainHash)}`;
      session.output.print({ file: output, pin }, () => `${output}\npin ${pin}`);
    });
  program
    .command('audit-bundle')
    .description('make and save a signed audit bundle of a period')
    .option('-o, --output <file>', 'file to write', 'assay-audit.tar.gz')
    .option('--from <time>', 'ISO 8601; default: 30 days ago')
    .option('--to <time>', 'ISO 8601; default: now')
    .option('--disclose <names...>', 'committed values to show')
    .action(async (options: BundleOptions, command: Command) => {
      const session = await openSession(io, command.optsWithGlobals());
      const from = options.from ?? new Date(Date.now() - 30 * 86_400_000).toISOString();
      const to = options.to ?? new Date().toISOString();
      const body = { from, to, disclose: options.disclose ?? [] };
      const { data } = await connectPerson(session).send('POST', '/api/v1/audit-bundles', {
        body,
        timeout: 120_000,
      });
      await download(session, `/api/v1/audit-bundles/${String(data._id)}/download`, options.output);
      session.output.print({ file: options.output, bundle: data }, () => options.output);
    });
}

const BUSY_ATTEMPTS = 5;

/** Streams an answer to a file; a file that is cut short is removed. */
async function download(
  { io, profile: { url, token } }: Session,
  path: string,
  file: string,
): Promise<void> {
  if (token === undefined) throw new CommandFailure('Sign in first: assay login');
  for (let attempt = 1; ; attempt++) {
    const answer = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } });
    if (answer.ok && answer.body) {
      const target = createWriteStream(resolve(io.cwd, file), { mode: 0o600 });
      return pipeline(Readable.fromWeb(answer.body as ReadableStream), target).catch(
        async (error: unknown) => {
          await rm(resolve(io.cwd, file), { force: true });
          throw new CommandFailure(`The download was cut short: ${(error as Error).message}`);
        },
      );
    }
    const { error } = (await answer.json().catch(() => ({}))) as { error?: string };
    const isBusy = answer.status === 429 || answer.status === 503;
    if (!isBusy || attempt === BUSY_ATTEMPTS)
      throw new CommandFailure(`${error ?? 'The service refused'} (${answer.status})`);
    await sleep(1000 * Number(answer.headers.get('retry-after') ?? 1));
  }
}
