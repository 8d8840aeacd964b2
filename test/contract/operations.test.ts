// Every operation of the interface is mounted once, and nothing else is.
import { expect, test } from 'vitest';
import { locate } from '../../src/http/router.ts';
import { mounts } from '../../src/routes.ts';
import { mounted } from './mounted.ts';
import { operations } from './operations.ts';

test('what is mounted is what is written down', () => {
  expect([...mounted.keys()].sort()).toEqual([...operations].sort());
});

test('no operation is mounted twice, also under another parameter name', () => {
  const shapes = locate(mounts).map(
    ({ path, route }) => `${route.method} ${path.replace(/:\w+/g, ':')}`,
  );
  expect(shapes.filter((shape, index) => shapes.indexOf(shape) !== index)).toEqual([]);
});
