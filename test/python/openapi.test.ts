// docs/openapi.json, as a validator of others reads it: also that every default fits its own schema.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { createEnvironment } from './environment.ts';

const PROGRAM = `
import json, sys
from openapi_spec_validator import OpenAPIV31SpecValidator
for error in OpenAPIV31SpecValidator(json.load(sys.stdin)).iter_errors():
    print(list(error.absolute_path), error.message)
`;

let python: string;
beforeAll(async () => {
  ({ python } = await createEnvironment('assay-python', ['test']));
}, 180_000);

async function listErrors(document: string): Promise<string> {
  const running = promisify(execFile)(python, ['-c', PROGRAM]);
  running.child.stdin!.end(document);
  return (await running).stdout;
}

test('the API document is valid', async () => {
  const file = join(import.meta.dirname, '../../docs/openapi.json');
  const document = await readFile(file, 'utf8');
  expect(await listErrors(document)).toBe('');
  // It would say so.
  const broken = document.replace(
    '"type": "string", "maxLength": 8000',
    '"type": "string", "default": null',
  );
  expect(await listErrors(broken)).toContain('None is not of type');
});
