// What the package weighs, and that it brings nothing with it.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const folder = 'packages/sdk-typescript';

test('the main module and each adapter are small', async () => {
  const sizes = await promisify(execFile)(process.execPath, [`${folder}/size.mjs`]);
  expect(sizes.stdout).toMatch(/^main module: \d+ bytes gzip of 12288\n/);
  expect(sizes.stdout).toMatch(/^0 dependencies$/m);
});

test('every framework is optional', () => {
  const manifest = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as {
    dependencies?: object;
    peerDependencies: object;
    peerDependenciesMeta: Record<string, { optional: boolean }>;
  };
  expect(manifest.dependencies).toBeUndefined();
  const optional = Object.entries(manifest.peerDependenciesMeta)
    .filter(([, meta]) => meta.optional)
    .map(([name]) => name);
  expect(Object.keys(manifest.peerDependencies).sort()).toEqual(optional.sort());
});
