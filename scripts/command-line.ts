// Reads the command line of a script; prints its usage on `--help` and after a mistake.
import { parseArgs, type ParseArgsConfig } from 'node:util';

type Options = NonNullable<ParseArgsConfig['options']>;
type Parsed<O extends Options> = ReturnType<
  typeof parseArgs<{ options: O; allowPositionals: true }>
>;

interface CommandLine<O extends Options, T> {
  usage: string;
  options: O;
  /** Checks the arguments. Throws an Error that says what is wrong with them. */
  read: (parsed: Parsed<O>) => T;
}

/** Returns what `read` makes of the arguments; otherwise ends the process: 0 after `--help`, 1 after a mistake. */
export function readCommandLine<O extends Options, T>({
  usage,
  options,
  read,
}: CommandLine<O, T>): T {
  if (process.argv.slice(2).some((argument) => argument === '--help' || argument === '-h')) {
    process.stdout.write(`${usage}\n`);
    process.exit(0);
  }
  try {
    return read(parseArgs({ options, allowPositionals: true }));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}\n`);
    process.exit(1);
  }
}
