// The Python SDK against the real service, by its own tests; a validator of others reads the API document as well.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { openEnvironment } from './environment.ts';
import { SDK_ENVIRONMENT } from './installed.ts';
import { usePythonService } from './service.ts';

const { readEnvironment } = usePythonService();

const environment = openEnvironment(SDK_ENVIRONMENT);

test.each([
  'test_guard.py',
  'test_limits.py',
  'test_origins.py',
  'test_outcomes.py',
  'test_middle.py',
  'test_patience.py',
  'test_values.py',
  'test_vectors.py',
])(
  '%s',
  async (file) => {
    const output = await environment.runTests(file, readEnvironment());
    expect(output).toMatch(/^\d+ passed in/m);
  },
  300_000,
);

const VALIDATION = `
import json, sys
from openapi_spec_validator import OpenAPIV31SpecValidator
for error in OpenAPIV31SpecValidator(json.load(sys.stdin)).iter_errors():
    print(list(error.absolute_path), error.message)
`;

async function listErrors(document: string): Promise<string> {
  const running = promisify(execFile)(environment.python, ['-c', VALIDATION]);
  running.child.stdin!.end(document);
  return (await running).stdout;
}

test('the API document is valid, and every default fits its own schema', async () => {
  const file = join(import.meta.dirname, '../../docs/openapi.json');
  const document = await readFile(file, 'utf8');
  expect(await listErrors(document)).toBe('');
  // It would say so.
  const broken = document.replace(
    '"type": "string", "maxLength": 8000',
    '"type": "string", "default": null',
  );
  expect(await listErrors(broken)).toContain('None is not of type');
}, 300_000);
