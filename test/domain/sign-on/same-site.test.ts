// The same-site rule of browsers.
import { expect, test } from 'vitest';
import { isSameSite } from '../../../src/domain/sign-on/same-site.ts';

type Place = [scheme: 'http' | 'https', host: string];
const at = ([scheme, host]: Place): string => `${scheme}://${host}`;

test.for<[Place, Place, boolean]>([
  [['https', 'a.example.com/x'], ['https', 'b.example.com:8443/y'], true],
  [['http', 'a.example.com'], ['https', 'a.example.com'], false],
  [['https', 'a.example.com'], ['https', 'example.org'], false],
  [['https', 'one.github.io'], ['https', 'two.github.io'], false],
  [['http', 'localhost:18080/a'], ['http', 'localhost:4300/'], true],
  [['http', 'localhost:18080'], ['http', '127.0.0.1:4300'], false],
  [['http', '127.0.0.1:18080'], ['http', '127.0.0.1:4300'], true],
  [['http', '10.0.0.1'], ['http', '10.0.0.2'], false],
  [['http', 'assay'], ['http', 'assay'], true],
])('%j and %j: %s', ([one, other, expected]) => {
  const [left, right] = [at(one), at(other)];
  expect([isSameSite(left, right), isSameSite(right, left)]).toEqual([expected, expected]);
});
