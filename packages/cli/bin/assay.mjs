#!/usr/bin/env node
// The command line: compiles TypeScript as it is loaded.
import { register } from 'tsx/esm/api';

register();
const { main } = await import('../src/main.ts');
await main(process.argv);
