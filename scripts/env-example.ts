// Writes .env.example from the configuration schema: every variable with description and default, commented out.
import { writeFileSync } from 'node:fs';
import { z } from 'zod';
import { environment } from '../src/config/environment.ts';

/** File of the example. */
export const ENV_FILE = new URL('../.env.example', import.meta.url);

/** Reads the default as it is written in the environment; empty if there is none. */
function readDefault(schema: z.ZodType): string {
  return schema instanceof z.ZodDefault ? String(schema.def.defaultValue) : '';
}

export function renderEnvExample(): string {
  const blocks = Object.entries(environment.shape).map(
    ([name, schema]) => `# ${schema.description ?? ''}\n# ${name}=${readDefault(schema)}\n`,
  );
  return [
    '# Generated from src/config/environment.ts by `npm run docs`. Nothing has to be set to try Assay out.\n',
    ...blocks,
  ].join('\n');
}

if (process.argv[1] === import.meta.filename) writeFileSync(ENV_FILE, renderEnvExample());
