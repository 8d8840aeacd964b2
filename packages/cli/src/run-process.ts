// Runs a command line in this process, and ends it.
import { createProcessIo, type Io } from './io.ts';

/** Ends the process with the status that `main` resolves with; `main` gets the arguments of the process. */
export async function runProcess(
  main: (args: readonly string[], io: Io) => Promise<number>,
): Promise<never> {
  const io = createProcessIo();
  const code = await main(process.argv.slice(2), io);
  // What was written is out first; whatever is still under way keeps no one waiting.
  for (const output of [io.stdout, io.stderr])
    await new Promise<void>((resolve) => void output.write('', () => resolve()));
  process.exit(code);
}
