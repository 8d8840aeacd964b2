// The program `assay`: runs `main` on the arguments of this process, and ends it.
import { createProcessIo } from './io.ts';
import { main } from './main.ts';

const io = createProcessIo();
const code = await main(process.argv.slice(2), io);
// What was written is out first; whatever is still under way keeps no one waiting.
for (const output of [io.stdout, io.stderr])
  await new Promise<void>((resolve) => void output.write('', () => resolve()));
process.exit(code);
