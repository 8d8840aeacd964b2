// Effects are filled from the arguments of an action, unambiguously, or not at all.
import { describe, expect, test } from 'vitest';
import { fillEffect, findEffectProblem } from '../../../src/domain/policies/effects.ts';
import type { Json } from '../../../src/domain/record/json.ts';

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
