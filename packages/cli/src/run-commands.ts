// Runs a command line with the commands that it is given, and says what its end means: 0 done, 1 refused or tampered, 2 cannot tell or wrong usage.
import { Command, CommanderError } from 'commander';
import {
  AssayError,
  Blocked,
  Expired,
  Rejected,
  Unauthorised,
  Unavailable,
  Withdrawn,
} from '../../sdk-typescript/src/errors.ts';
import type { Io } from './io.ts';
import { CommandFailure, EXIT } from './output.ts';

/** Adds commands to the program. */
export type Add = (program: Command, io: Io) => void;

function createProgram(commands: readonly Add[], io: Io): Command {
  const program = new Command('assay')
    .description('Governance for AI agents: ask, decide, prove.')
    .version('0.1.0')
    .option('--profile <name>', 'profile of the configuration file', 'default')
    .option('--url <address>', 'address of the service')
    .option('--json', 'print JSON')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
    })
    .showHelpAfterError('assay --help lists the commands, and assay COMMAND --help its options');
  for (const add of commands) add(program, io);
  // Options that every command takes may stand before or after its name.
  for (const command of listCommands(program))
    command.exitOverride().configureHelp({ showGlobalOptions: true });
  return program;
}

function listCommands(command: Command): Command[] {
  return command.commands.flatMap((child) => [child, ...listCommands(child)]);
}

/** Runs a command line, without the name of the program, and returns its exit status. */
export async function runCommands(
  commands: readonly Add[],
  args: readonly string[],
  io: Io,
): Promise<number> {
  try {
    await createProgram(commands, io).parseAsync([...args], { from: 'user' });
    return io.exitCode;
  } catch (error) {
    return reportFailure(error, io);
  }
}

function describeRemedy(error: AssayError): string {
  if (error instanceof Unavailable) return '; is it running? assay doctor says more';
  const isUnknown = error instanceof Unauthorised && error.status === 401;
  return isUnknown ? '; assay login opens a session, and assay doctor checks session and key' : '';
}

const REFUSALS = [Blocked, Rejected, Expired, Withdrawn];

/** Prints what went wrong and returns the exit status. */
function reportFailure(error: unknown, { stderr }: Io): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.unknown;
  if (error instanceof CommandFailure) {
    stderr.write(`${error.message}\n`);
    return error.exitCode;
  }
  if (error instanceof AssayError) {
    const request = error.requestId === undefined ? '' : ` (request ${error.requestId})`;
    stderr.write(`${error.message} [${error.code}]${describeRemedy(error)}${request}\n`);
    return REFUSALS.some((kind) => error instanceof kind) ? EXIT.refused : EXIT.unknown;
  }
  throw error;
}
