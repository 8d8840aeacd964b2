// The generated documents match the declarations, and the API document is valid.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { renderEnvExample, ENV_FILE } from '../../scripts/env-example.ts';
import { OPENAPI_FILE, renderOpenApi } from '../../scripts/openapi.ts';
import { ROUTES_FILE, renderRoutesTable } from '../../scripts/routes.ts';
import { loadConfig } from '../../src/config/config.ts';
import { environment } from '../../src/config/environment.ts';
import { operations } from './operations.ts';

const run = promisify(execFile);
const readText = (file: URL): string => readFileSync(file, 'utf8');
const STALE = 'out of date: run `npm run docs`';

test('docs/openapi.json is current', () => {
  expect(readText(OPENAPI_FILE) === renderOpenApi(), STALE).toBe(true);
});

test('docs/reference/routes.md is current and names a file for every route', async () => {
  const table = await renderRoutesTable();
  expect(readText(ROUTES_FILE) === table, STALE).toBe(true);
  expect(table).not.toMatch(/\|\s+\|\n/);
});

test('.env.example is current, complete, and a configuration that works', () => {
  const example = renderEnvExample();
  expect(readText(ENV_FILE) === example, STALE).toBe(true);
  const assignments = [...example.matchAll(/^# (\w+)=(.*)$/gm)].map(
    ([, name, value]) => [name, value] as const,
  );
  expect(assignments.map(([name]) => name)).toEqual(Object.keys(environment.shape));
  expect(loadConfig(Object.fromEntries(assignments))).toEqual(loadConfig({}));
  expect(Object.values(environment.shape).every(({ description }) => description)).toBe(true);
});

test('the API document holds every operation', () => {
  const { paths } = JSON.parse(renderOpenApi()) as { paths: Record<string, object> };
  const held = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map(
      (method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`,
    ),
  );
  expect(held.sort()).toEqual([...operations].sort());
});

test('the API document passes the linter', { tags: ['long'] }, async () => {
  const linter = 'node_modules/@redocly/cli/bin/cli.js';
  const quiet = { NO_COLOR: '1', REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const { stdout } = await run(
    process.execPath,
    [linter, 'lint', '--format=json', 'docs/openapi.json'],
    {
      env: { ...process.env, ...quiet },
    },
  ).catch((error: unknown) => error as { stdout: string });
  const { problems } = JSON.parse(stdout) as { problems: { ruleId: string; message: string }[] };
  expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
});
