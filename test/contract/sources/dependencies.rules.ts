// Every dependency stands in docs/internals/dependencies.md, and no other.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

type Dependencies = Record<'dependencies' | 'devDependencies', Record<string, string>>;

const readPackage = (path: string): Dependencies =>
  JSON.parse(readFileSync(path, 'utf8')) as Dependencies;

const { dependencies, devDependencies } = readPackage('package.json');
const ofConsole = readPackage('console/package.json');
const ofIntegrations = readPackage('integrations/package.json');
const ofCommandLine = readPackage('packages/cli/package.json');
const text = readFileSync('docs/internals/dependencies.md', 'utf8');

test.each([
  ['At run time', dependencies],
  ['In development', devDependencies],
  ['In the console', ofConsole.devDependencies],
  ['In the packages', ofCommandLine.dependencies],
  ['In the integrations', ofIntegrations.devDependencies],
])('%s', (title, wanted) => {
  const [, section = ''] = new RegExp(`^## ${title}\n([^]*?)^## `, 'm').exec(text) ?? [];
  const listed = [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name);
  expect(listed.sort()).toEqual(Object.keys(wanted).sort());
});

test('the console brings no package to an installation without development', () => {
  expect(Object.keys(ofConsole)).not.toContain('dependencies');
});
