// `assay hook`: answers the hooks of coding agents, in their own formats.
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Command } from 'commander';
import { answerHook, HOSTS } from '../hooks/answer-hook.ts';
import { HookStore } from '../hooks/hook-store.ts';
import type { Io } from '../io.ts';
import { CommandFailure, EXIT } from '../output.ts';
import { findStateFolder, type Profile } from '../profile.ts';
import { watchHost } from '../hooks/host-watch.ts';
import { type CommonOptions, openSession } from '../session.ts';

interface HookOptions extends CommonOptions {
  wait: string;
  agent?: string;
}

const INPUT_MAX = 16 * 1024 * 1024;

export function addHookCommand(program: Command, io: Io): void {
  program
    .command('hook')
    .description('answer the hook of a coding agent; assay init --hook installs it')
    .argument('<host>', Object.keys(HOSTS).join(', '))
    .option('--agent <id>', 'agent that acts')
    .option(
      '--wait <seconds>',
      'how long to wait for a person; at least 15 below the limit of the host',
      '45',
    )
    .action(async (host: string, _, command: Command) => {
      const options = command.optsWithGlobals<HookOptions>();
      const readProfile = async (): Promise<Profile> => {
        const { profile } = await openSession(io, options);
        return options.agent === undefined ? profile : { ...profile, agent: options.agent };
      };
      const { signal, end } = watchHost(io);
      const settings = {
        host,
        readProfile,
        wait: Number(options.wait),
        store: new HookStore(join(findStateFolder(io.env), 'hooks')),
        signal,
        warn: (text: string) => void io.stderr.write(`${text}\n`),
      };
      try {
        io.stdout.write(await answerHook(await readInput(io.stdin), settings));
      } catch (error) {
        // Every host takes status 2 for a refusal, and most others for a hook that may be ignored.
        const { message } = error as Error;
        throw new CommandFailure(`Assay: ${message}. Nothing has run.`, EXIT.unknown);
      } finally {
        end();
      }
    });
}

/** In UTF-8, or in UTF-16 where it begins so, as PowerShell writes. */
async function readInput(stdin: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > INPUT_MAX) throw new CommandFailure('the event of the hook is too large');
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  const isWide = bytes[0] === 0xff && bytes[1] === 0xfe;
  return new TextDecoder(isWide ? 'utf-16le' : 'utf-8').decode(bytes);
}
