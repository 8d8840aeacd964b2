// Runs the command line of this process.
import { main } from './main.ts';

await main(process.argv);
