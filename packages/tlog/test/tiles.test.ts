// Paths of tiles are written one way only, as c2sp.org/tlog-tiles says.
import { expect, it } from 'vitest';
import { findSubtreeTile, formatEntryBundle, formatTilePath, parseTilePath } from '../src/tiles.ts';

const full = (level: number | null, index: number) => ({ level, index, width: 256 });

it.each([
  ['0/000', full(0, 0)],
  ['3/x001/x234/067', full(3, 1_234_067)],
  ['entries/x001/000', full(null, 1000)],
  ['0/000.p/1', { level: 0, index: 0, width: 1 }],
  ['63/x012/345.p/255', { level: 63, index: 12_345, width: 255 }],
  ['entries/999.p/17', { level: null, index: 999, width: 17 }],
])('%s is a tile', (path, tile) => {
  expect(parseTilePath(path.split('/'))).toEqual(tile);
  expect(formatTilePath(tile)).toBe(path);
});

it.each([
  '',
  '0',
  '0/',
  '00/000',
  '64/000',
  '-1/000',
  'x/000',
  '0/0',
  '0/0000',
  '0/x000/001',
  '0/001/x234',
  '0/x001',
  '0/000.p/0',
  '0/000.p/256',
  '0/000.p/01',
  '0/000.p/',
  '0/000.p',
  '0/000/5',
  '0/x999/x999/x999/x999/x999/x999/999',
  'entries/__proto__',
])('%s is none', (path) => {
  expect(parseTilePath(path.split('/'))).toBeNull();
});

it('a subtree is found in the tile of its level', () => {
  expect(findSubtreeTile({ level: 0, index: 257 })).toEqual({
    tile: { level: 0, index: 1 },
    first: 1,
    end: 2,
  });
  expect(findSubtreeTile({ level: 7, index: 3 })).toEqual({
    tile: { level: 0, index: 1 },
    first: 128,
    end: 256,
  });
  expect(findSubtreeTile({ level: 9, index: 2 })).toEqual({
    tile: { level: 1, index: 0 },
    first: 4,
    end: 6,
  });
});

it('an entry bundle has the length of each entry before it', () => {
  expect(formatEntryBundle([Buffer.of(7), Buffer.alloc(300, 1)]).subarray(0, 5)).toEqual(
    Buffer.of(0, 1, 7, 1, 44),
  );
});
