// Inputs and views of trials: dry runs and regression tests of policies (document 2, section 4.2).
import { z } from 'zod';
import type { JsonObject } from '@assay/json';
import { HALT_REACHES } from '@assay/policy';
import { nameSchemas } from '../../http/declaration/schema-names.ts';
import { optional } from '../../http/declaration/optional.ts';
import {
  id,
  idParam,
  instant,
  singleLine,
  createDeletedView,
} from '../../http/declaration/views.ts';
import { actionType, conditionView, policyCandidate } from '../policies.schemas.ts';

/** Limits: regression tests of one policy, bytes of a fixture as JSON. */
export const trialLimits = { tests: 50, fixtureBytes: 64 * 1024 } as const;
/** Body limit of a request with a policy and a fixture. */
export const TRIAL_BODY_BYTES = 512 * 1024;

const fixture = z
  .custom<JsonObject>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'must be an object',
  )
  .refine(
    (value) => new TextEncoder().encode(JSON.stringify(value)).length <= trialLimits.fixtureBytes,
    `must have at most ${trialLimits.fixtureBytes} bytes as JSON`,
  )
  .meta({ type: 'object', additionalProperties: true })
  .describe(
    'Members of a decision as it would be posted. Derived facts (confidenceScore, tags, agentName, pii, time, action, output) ' +
      'are those that it says itself, else those that follow from the rest',
  );

export const dryRunInput = z.object({ policy: policyCandidate, fixture });
export const dryRunOfPolicyInput = z.object({
  policy: optional(policyCandidate).describe('Instead of the policy as it is stored'),
  fixture,
});

const verdicts = ['approved', 'flagged', 'blocked'] as const;

export const dryRunView = z.object({
  matched: z.boolean(),
  verdict: z.enum(verdicts).describe('What the policy alone would make of the decision'),
  action: actionType,
  reason: z.string().nullable(),
  halts: z.enum(HALT_REACHES).nullable().describe('What it would halt as well'),
  error: z.string().nullable().describe('Why the policy could not be evaluated'),
  explanation: z
    .array(
      z.object({
        condition: conditionView,
        matched: z.boolean(),
        error: z.string().nullable(),
        actual: z
          .string()
          .nullable()
          .describe('What the field held, as JSON of at most 200 characters; null: nothing'),
      }),
    )
    .describe('Every condition by itself, in stored order'),
});

export const policyTestInput = z.object({
  name: singleLine(100),
  fixture,
  expected: actionType.describe('The action of the policy alone; approve when it does not match'),
});
export const policyTestView = z.object({
  _id: id,
  id,
  policyId: id,
  name: z.string(),
  fixture: z.record(z.string(), z.unknown()),
  expected: actionType,
  createdBy: id,
  createdAt: instant,
  updatedAt: instant,
});
export const deletedPolicyTestView = createDeletedView();
export const policyTestParams = z.object({ policyId: idParam, testId: idParam });

export const runTestsInput = z.object({
  policy: optional(policyCandidate).describe('Instead of the policy as it is stored'),
});
export const testRunView = z.object({
  results: z.array(
    z.object({
      testId: id,
      name: z.string(),
      passed: z.boolean(),
      expected: actionType,
      actual: actionType,
    }),
  ),
  passed: z.int(),
  failed: z.int(),
});
export type TestRun = z.input<typeof testRunView>;

nameSchemas({
  DryRunInput: dryRunInput,
  PolicyDryRunInput: dryRunOfPolicyInput,
  DryRun: dryRunView,
  PolicyTestInput: policyTestInput,
  PolicyTest: policyTestView,
  DeletedPolicyTest: deletedPolicyTestView,
  PolicyTestRunInput: runTestsInput,
  PolicyTestRun: testRunView,
});
