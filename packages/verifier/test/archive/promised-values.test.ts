// The values that a manifest promises: what counts as missing, and what is only counted beyond a bound.
import { expect, test } from 'vitest';
import { PromisedValues } from '../../src/archive/promised-values.ts';
import type { FieldRow } from '../../src/report.ts';

const row = (sequence: number, state: FieldRow['state'], name = 'input'): FieldRow =>
  ({ sequence, name, state }) as FieldRow;

test('promised values that are withheld or partly shown are missing, the first of them is named', () => {
  const values = new PromisedValues(['input', 'output']);
  expect(values.findMissing()).toEqual({ count: 0, first: null });
  for (const one of [
    row(7, 'withheld'),
    row(5, 'partly shown', 'output'),
    row(6, 'withheld'),
    row(1, 'withheld', 'metadata'),
    row(2, 'erased'),
  ])
    values.recordField(one);
  expect(values.findMissing()).toEqual({ count: 3, first: { sequence: 5, name: 'output' } });
  values.recordField(row(5, 'erased', 'output'));
  values.recordOmissions({
    kid: '',
    bundleId: '',
    omitted: [{ sequence: 6, names: ['input', 'other'] }],
  });
  expect(values.findMissing()).toEqual({ count: 1, first: { sequence: 7, name: 'input' } });
});

test('beyond the bound missing values are counted, not remembered', () => {
  const values = new PromisedValues(['input'], 2);
  for (const sequence of [4, 5, 6, 7]) values.recordField(row(sequence, 'withheld'));
  expect(values.findMissing()).toEqual({ count: 4, first: { sequence: 4, name: 'input' } });
  values.recordField(row(7, 'erased'));
  expect(values.findMissing().count).toBe(4);
});
