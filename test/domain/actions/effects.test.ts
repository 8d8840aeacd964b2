// Effects are filled from the arguments of an action, unambiguously, or not at all.
import { describe, expect, test } from 'vitest';
import type { Json } from '@assay/json';
import { fillEffect, findEffectProblem } from '@assay/policy';

test.each<[template: string, action: Json, effect: string | null]>([
  ['refund:{order_id}', { arguments: { order_id: 'A-1' } }, 'refund:A-1'],
  ['refund:{order_id}', { order_id: 'A-1' }, 'refund:A-1'],
  ['refund:{order_id}', { order_id: 'x', arguments: { order_id: 'y' } }, 'refund:y'],
  ['refund:{order.id}', { arguments: { order: { id: 7 } } }, 'refund:7'],
  ['refund:{order_id}', { arguments: { order_id: 7 } }, 'refund:7'],
  ['refund:{order_id}', { arguments: { order_id: ' 7 ' } }, 'refund:7'],
  ['refund:{a}:{b}', { a: '1:2', b: '3' }, 'refund:1%3A2:3'],
  ['refund:{a}:{b}', { a: '1', b: '2:3' }, 'refund:1:2%3A3'],
  ['mail:{to}', { to: 'Zoë' }, 'mail:Zo%C3%AB'],
  ['mail:{to}', { to: 'Zoe\u0308' }, 'mail:Zo%C3%AB'],
  ['refund:{order_id}', { arguments: {} }, null],
  ['refund:{order_id}', { arguments: { order_id: null } }, null],
  ['refund:{order_id}', { arguments: { order_id: '' } }, null],
  ['refund:{order_id}', { arguments: { order_id: ['7'] } }, null],
  ['refund:{order_id}', { arguments: { order_id: 'x'.repeat(201) } }, null],
  ['refund:{constructor}', { arguments: {} }, null],
  ['refund:{order_id}', 'refund 7', null],
])('%s of %j is %s', (template, action, effect) => {
  expect(fillEffect(template, action)).toBe(effect);
});

describe('of texts that look equal, the effects are equal', () => {
  const fill = (value: string) => fillEffect('refund:{id}', { id: value });
  const between = (...codes: number[]) =>
    codes.flatMap((code) => {
      const mark = String.fromCodePoint(code);
      return [`A${mark}1`, `${mark}A1`, `A1${mark}`, `A${mark}${mark}1`];
    });

  test.each<[string, number[]]>([
    ['spaces without width', [0x200b, 0x180e, 0x2060, 0xfeff]],
    ['joiners', [0x200c, 0x200d, 0x034f]],
    ['soft hyphen', [0x00ad]],
    ['marks of direction', [0x061c, 0x200e, 0x200f, 0x202a, 0x202e, 0x2066, 0x2069]],
    ['selectors of variants', [0xfe00, 0xfe0f, 0x180b, 0xe0100, 0xe01ef]],
    ['tags', [0xe0001, 0xe0041]],
    ['fillers', [0x115f, 0x1160, 0x17b4, 0x3164, 0xffa0]],
    ['invisible operators, annotations', [0x2061, 0x2064, 0x206a, 0xfff9, 0xfffb]],
    ['controls', [0x00, 0x01, 0x08, 0x1b, 0x7f, 0x80, 0x9f]],
  ])('%s', (_, codes) => {
    for (const text of between(...codes))
      expect(fill(text), JSON.stringify(text)).toBe('refund:A1');
  });

  test.each([0xa0, 0x1680, 0x2003, 0x2007, 0x202f, 0x205f, 0x2028, 0x2029, 0x3000, 0x85])(
    'the space %i',
    (code) => {
      const space = String.fromCodePoint(code);
      expect(fill(`${space}A${space}1${space}`)).toBe('refund:A%201');
    },
  );

  test('characters compose across what is invisible, and nothing but that is no text', () => {
    expect(fill('Zoe\u200b\u0308')).toBe(fill('Zo\u00eb'));
    expect(fill('\uff21\u200d\uff11')).toBe('refund:A1');
    expect(fill('\u200b\u00a0\ufeff')).toBeNull();
  });

  test('what is seen counts', () => {
    for (const text of ['a1', 'A-1', 'A 1', 'A\n1', 'A\u03011', '\u0391\u0031', 'A\u06001'])
      expect(fill(text), JSON.stringify(text)).not.toBe('refund:A1');
  });
});

describe('a config', () => {
  test.each([
    [{}, true],
    [{ singleUse: true }, true],
    [{ effect: 'refund:{order_id}' }, true],
    [{ effect: 'refund:{order.id}/{line}' }, true],
    [{ singleUse: 'yes' }, false],
    [{ effect: 'refund' }, false],
    [{ effect: 'refund:once' }, false],
    [{ effect: 'refund:{}' }, false],
    [{ effect: 'refund:{a b}' }, false],
    [{ effect: 'Refund {order_id}' }, false],
    [{ effect: ['refund:{order_id}'] }, false],
    [{ effect: null }, false],
    [{ effect: `refund:{${'a'.repeat(5000)}}${'{'.repeat(2000)}` }, false],
  ])('%j', (config, isValid) => {
    expect(findEffectProblem(config) === null).toBe(isValid);
  });
});
