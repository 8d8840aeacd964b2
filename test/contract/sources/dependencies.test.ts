// Every dependency stands in docs/internals/dependencies.md, and no other.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const { dependencies, devDependencies } = JSON.parse(
  readFileSync('package.json', 'utf8'),
) as Record<'dependencies' | 'devDependencies', Record<string, string>>;
const text = readFileSync('docs/internals/dependencies.md', 'utf8');

test.each([
  ['At run time', dependencies],
  ['In development', devDependencies],
])('%s', (title, wanted) => {
  const [, section = ''] = new RegExp(`^## ${title}\n([^]*?)^## `, 'm').exec(text) ?? [];
  const listed = [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name);
  expect(listed.sort()).toEqual(Object.keys(wanted).sort());
});
