#!/usr/bin/env node
// The command line: compiles TypeScript as it is loaded.
import { register } from 'tsx/esm/api';

register();
await import('../src/assay.ts');
