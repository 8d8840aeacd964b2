// The version of a release: package.json leads, and every other place says the same.
import { expect, test } from 'vitest';
import { files, readSource } from './sources.ts';

const { version } = JSON.parse(readSource('package.json')) as { version: string };

/** Where the version stands: a pattern whose group is the version; others of these files are not ours. */
const PLACES: [file: string, pattern: RegExp, count: number][] = [
  ['charts/assay/Chart.yaml', /^(?:version|appVersion): (\S+)$/gm, 2],
  ['console/package.json', /^ {2}"version": "(.*)",$/gm, 1],
  ['packages/cli/src/commands/mcp-proxy.ts', /'assay-mcp-proxy\/(.*)'/g, 1],
  ['packages/cli/src/hooks/answer-hook.ts', /'assay-hook\/(.*)'/g, 1],
  ['packages/cli/src/mcp/http-exchange.ts', /'assay-mcp-proxy', version: '(.*)'/g, 1],
  ['packages/cli/src/run-commands.ts', /\.version\('(.*)'\)/g, 1],
  ['packages/sdk-python/pyproject.toml', /^version = "(.*)"$/gm, 1],
  ['packages/sdk-python/src/assay/client.py', /"assay-python\/(.*)"/g, 1],
  ['packages/sdk-python/src/assay/protocol.py', /^VERSION = "(.*)"$/gm, 1],
  ['packages/sdk-typescript/src/guarding/guard.ts', /'sdk-typescript', version: '(.*)'/g, 1],
  ['packages/sdk-typescript/src/http-client.ts', /'assay-typescript\/(.*)'/g, 1],
  ['src/governance/mcp-server/bridge.schemas.ts', /'assay', version: '(.*)'/g, 1],
];
/** Versions of protocols of others that happen to be alike. */
const OF_OTHERS = /^(src\/(decisions|domain)\/acs\/|integrations\/)/;
const LINE_OF_OTHERS = /PROTOCOL_VERSION = /;

const findAll = (file: string, pattern: RegExp): (string | undefined)[] =>
  [...readSource(file).matchAll(pattern)].map(([, found]) => found);

test.each(PLACES)('%s', (file, pattern, count) => {
  expect(findAll(file, pattern)).toEqual(Array.from({ length: count }, () => version));
});

test('every workspace has it, and so does the lock', () => {
  const manifests = files.filter((file) => /^packages\/[^/]+\/package\.json$/.test(file));
  expect(manifests.length).toBeGreaterThan(1);
  const { packages } = JSON.parse(readSource('package-lock.json')) as {
    packages: Record<string, { version?: string }>;
  };
  for (const file of manifests) {
    expect((JSON.parse(readSource(file)) as { version: string }).version, file).toBe(version);
    expect(packages[file.replace('/package.json', '')]?.version, file).toBe(version);
  }
  expect([packages['']?.version, packages.console?.version]).toEqual([version, version]);
});

test('it stands nowhere else', () => {
  const known = new Set(PLACES.map(([file]) => file));
  const others = files
    .filter((file) =>
      /^(src|packages|scripts|charts|console\/src)\/.*\.(ts|mjs|py|ya?ml|tpl)$/.test(file),
    )
    .filter((file) => !known.has(file) && !OF_OTHERS.test(file) && !file.includes('/tests/'))
    .filter((file) =>
      readSource(file)
        .split('\n')
        .some((line) => line.includes(`${version}'`) && !LINE_OF_OTHERS.test(line)),
    );
  expect(others).toEqual([]);
});

test('documents name the files of this version', () => {
  const named = files
    .filter((file) => /^(docs|charts)\/.*\.md$/.test(file))
    .flatMap((file) => findAll(file, /\bassay(?:-[a-z]+)*-(\d+\.\d+\.\d+)/g));
  expect(named.length).toBeGreaterThan(3);
  expect(new Set(named)).toEqual(new Set([version]));
});
