// The limits on what one workspace may enable together.
import { expect, test } from 'vitest';
import { type Condition, policyTemplates } from '@assay/policy';
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
  Array.from({ length: count }, () => ({ conditions, actions: [] }));

test('the whole library fits', () => {
  expect(findWorkspaceLimitViolation(policyTemplates)).toBeNull();
});

test('policies are counted', () => {
  expect(findWorkspaceLimitViolation(many(workspaceLimits.policies, [plain]))).toBeNull();
  expect(findWorkspaceLimitViolation(many(workspaceLimits.policies + 1, [plain]))).toContain(
    String(workspaceLimits.policies),
  );
});

test('the characters of conditions and actions are counted', () => {
  const fill = (value: number, reason: number) => ({
    conditions: [{ ...plain, value: 'x'.repeat(value) }],
    actions: [{ type: 'block' as const, config: { reason: 'y'.repeat(reason) } }],
  });
  const frame = JSON.stringify(Object.values(fill(0, 0))).length;
  const fits = fill(5000, workspaceLimits.characters / 400 - 5000 - frame);
  const policies = Array.from({ length: 400 }, () => fits);
  expect(findWorkspaceLimitViolation(policies)).toBeNull();
  expect(findWorkspaceLimitViolation([...policies, { conditions: [], actions: [] }])).toMatch(
    /at most 4000000 characters as JSON in total; these have 4000007$/,
  );
});

test('instructions are counted once for each distinct field and pattern', () => {
  const fields = Array.from({ length: 24 }, (_, i) => `metadata.f${i}`);
  const spread = (repetitions: number) =>
    fields.map((field) => ({ conditions: [regex(field, repetitions)], actions: [] }));
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
