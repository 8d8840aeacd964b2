// The program that hooks of coding agents start: `assay hook` alone, in one file.
import { addHookCommand } from './commands/hook.ts';
import { runCommands } from './run-commands.ts';
import { runProcess } from './run-process.ts';

await runProcess((args, io) => runCommands([addHookCommand], args, io));
