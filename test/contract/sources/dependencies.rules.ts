// Every dependency stands in docs/internals/dependencies.md, and no other.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { OWNER } from '../../../scripts/release/owner.ts';
import { ofEngines } from './sources.ts';

type Dependencies = Record<'dependencies' | 'devDependencies', Record<string, string>>;

interface Manifest {
  name: string;
  license: string;
  dependencies?: Record<string, string>;
}

const readManifest = (path: string): Manifest => JSON.parse(readFileSync(path, 'utf8')) as Manifest;

const readPackage = (path: string): Dependencies =>
  JSON.parse(readFileSync(path, 'utf8')) as Dependencies;

const { dependencies, devDependencies } = readPackage('package.json');
const ofConsole = readPackage('console/package.json');
const ofIntegrations = readPackage('integrations/package.json');
const ofHosts = readPackage('integrations/hosts/package.json');
const ofCommandLine = readPackage('packages/cli/package.json');
const text = readFileSync('docs/internals/dependencies.md', 'utf8');

test.each([
  ['At run time', dependencies],
  ['In development', devDependencies],
  ['In the console', ofConsole.devDependencies],
  ['In the packages', ofCommandLine.dependencies],
  ['In the integrations', ofIntegrations.devDependencies],
  ['In the tests of hooks', ofHosts.devDependencies],
])('%s', (title, wanted) => {
  const [, section = ''] = new RegExp(`^## ${title}\n([^]*?)^## `, 'm').exec(text) ?? [];
  const listed = [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name);
  expect(listed.sort()).toEqual(Object.keys(wanted).sort());
});

const engines = ofEngines
  .filter((file) => file.endsWith('/package.json'))
  .map((file) => ({ file, ...readManifest(file) }));

test.each(engines)(
  'an engine has the versions of the service and the licence of the owner: $name',
  ({ file, name, license, dependencies: own = {} }) => {
    expect(file).toBe(`${name.replace('@assay/', 'packages/')}/package.json`);
    expect(license).toBe(OWNER.licence);
    const ofEngine = (one: string): boolean => one.startsWith('@assay/');
    const names = new Set(engines.map((engine) => engine.name));
    for (const [one, version] of Object.entries(own))
      if (ofEngine(one)) expect(names).toContain(one);
      else expect(version, one).toBe(dependencies[one]);
  },
);

test('an image is built with every package of the workspace', () => {
  const image = readFileSync('Dockerfile', 'utf8');
  for (const { file } of engines)
    expect(image).toContain(`COPY ${file} ./${file.replace('package.json', '')}`);
});

test('the console brings no package to an installation without development', () => {
  expect(Object.keys(ofConsole)).not.toContain('dependencies');
});
