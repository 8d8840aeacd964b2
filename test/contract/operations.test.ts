// Every operation of the interface is mounted once, and nothing else is.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { listRoutes } from '../../src/http/router.ts';
import { mounts } from '../../src/routes.ts';
import { access, examples, parts } from './examples/all.ts';
import { mounted } from './mounted.ts';
import { operations } from './operations.ts';

test('the mounted operations are the transcribed ones', () => {
  expect([...mounted.keys()].sort()).toEqual([...operations].sort());
});

test('no operation is mounted twice, also under another parameter name', () => {
  const shapes = listRoutes(mounts).map(
    ({ path, route }) => `${route.method} ${path.replace(/:\w+/g, ':')}`,
  );
  expect(shapes.filter((shape, index) => shapes.indexOf(shape) !== index)).toEqual([]);
});

test('every mounted operation has an example and a row that says who may call it', () => {
  expect([...mounted.keys()].filter((operation) => !(operation in access))).toEqual([]);
  expect([...mounted.keys()].filter((operation) => !(operation in examples))).toEqual([]);
  expect(Object.keys(examples).filter((operation) => !mounted.has(operation))).toEqual([]);
});

test.each(['authorisation', 'bad-input'])('every part is walked once by %s', (folder) => {
  const path = `${import.meta.dirname}/${folder}`;
  const texts = readdirSync(path)
    .filter((file) => file.endsWith('.test.ts'))
    .flatMap((file) => [
      ...readFileSync(`${path}/${file}`, 'utf8').matchAll(/listOperations\(([^)]*)\)/g),
    ]);
  const walked = texts.flatMap(([, named = '']) => named.split(', '));
  expect(walked.sort()).toEqual(parts.map((part) => `'${part}'`).sort());
});
