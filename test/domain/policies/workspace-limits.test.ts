// The limits on what one workspace may enable together.
import { expect, test } from 'vitest';
import type { Condition } from '../../../src/domain/policies/definition.ts';
import { policyTemplates } from '../../../src/domain/policies/templates/templates.ts';
import {
  findWorkspaceLimitViolation,
  workspaceLimits,
} from '../../../src/domain/policies/workspace-limits.ts';

const plain: Condition = { field: 'tags', operator: 'contains', value: 'LOW_CONFIDENCE' };
/** A pattern of about as many instructions as repetitions. */
const regex = (field: string, repetitions: number): Condition => ({
  field,
  operator: 'regex',
  value: `[a-z]{${repetitions}}`,
});
const many = (count: number, conditions: Condition[]) =>
  Array.from({ length: count }, () => ({ conditions }));

test('the whole library fits', () => {
  expect(findWorkspaceLimitViolation(policyTemplates)).toBeNull();
});

test('policies are counted', () => {
  expect(findWorkspaceLimitViolation(many(workspaceLimits.policies, [plain]))).toBeNull();
  expect(findWorkspaceLimitViolation(many(workspaceLimits.policies + 1, [plain]))).toContain(
    String(workspaceLimits.policies),
  );
});

test('instructions are counted once for each distinct field and pattern', () => {
  const fields = Array.from({ length: 24 }, (_, i) => `metadata.f${i}`);
  const spread = (repetitions: number) =>
    fields.map((field) => ({ conditions: [regex(field, repetitions)] }));
  expect(findWorkspaceLimitViolation(spread(400))).toBeNull();
  expect(findWorkspaceLimitViolation([...spread(400), ...spread(400)])).toBeNull();
  expect(findWorkspaceLimitViolation([...spread(400), ...spread(401)])).toMatch(
    /instructions in total; these have \d+$/,
  );
});

test('a stored pattern that would no longer be accepted costs nothing, for it is not searched', () => {
  expect(
    findWorkspaceLimitViolation(many(1, [{ field: 'a', operator: 'regex', value: '(' }])),
  ).toBeNull();
});
