// The program `assay`.
import { main } from './main.ts';
import { runProcess } from './run-process.ts';

await runProcess(main);
