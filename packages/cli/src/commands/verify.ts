// `assay verify-bundle`: the stand-alone verifier, with its own options and exit statuses.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Command } from 'commander';
import type { Io } from '../io.ts';
import { EXIT } from '../output.ts';
import { findProgram } from '../programs.ts';

const VERIFIER = { built: 'verify-bundle.mjs', source: 'scripts/verify-bundle.ts' };

export function addVerifyCommand(program: Command, io: Io): void {
  program
    .command('verify-bundle')
    .description('check a bundle offline: 0 intact, 1 tampered, 2 cannot tell')
    .argument('[arguments...]', 'a file and options: assay verify-bundle --help')
    .allowUnknownOption()
    .helpOption(false)
    .action(async (_, __, command: Command) => {
      const { json } = command.optsWithGlobals<{ json?: boolean }>();
      const given = json ? [...command.args, '--json'] : command.args;
      const child = spawn(process.execPath, [...findProgram(VERIFIER).words, ...given], {
        cwd: io.cwd,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child.stdout.pipe(io.stdout, { end: false });
      child.stderr.pipe(io.stderr, { end: false });
      const [code] = (await once(child, 'close')) as [number | null];
      io.exitCode = code ?? EXIT.unknown;
    });
}
