// Lets a value of the command line begin with a dash, as one salt in sixty-four does.
import type { ParseArgsConfig } from 'node:util';

type Options = NonNullable<ParseArgsConfig['options']>;

/**
 * Writes `--name -value` as `--name=-value`, which `parseArgs` accepts. An argument that is itself an option stays one,
 * so that `--name --json` is still refused.
 */
export function joinDashedValues(args: readonly string[], options: Options): string[] {
  const joined: string[] = [];
  for (const argument of args) {
    const before = joined.at(-1) ?? '';
    const isValue = argument.startsWith('-') && !findOption(argument.split('=', 1)[0], options);
    if (isValue && findOption(before, options)?.type === 'string')
      joined.splice(-1, 1, `${before}=${argument}`);
    else joined.push(argument);
  }
  return joined;
}

const findOption = (argument = '', options: Options) =>
  argument.startsWith('--') ? options[argument.slice(2)] : undefined;
