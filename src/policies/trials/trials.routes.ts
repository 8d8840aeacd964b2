// Routes to try policies before they judge: dry runs and regression tests (document 2, section 4.2).
import { MANAGERS } from '../../domain/identity/roles.ts';
import { reply, route } from '../../http/declaration/define-route.ts';
import { byId } from '../../http/declaration/views.ts';
import {
  deletedPolicyTestView,
  dryRunInput,
  dryRunOfPolicyInput,
  dryRunView,
  policyTestInput,
  policyTestParams,
  policyTestView,
  runTestsInput,
  testRunView,
  TRIAL_BODY_BYTES,
} from './trials.schemas.ts';
import { runCandidate, runPolicy } from './dry-run.service.ts';
import {
  createPolicyTest,
  listPolicyTests,
  removePolicyTest,
  runPolicyTests,
} from './policy-tests.service.ts';

/** Every reader of policies may try them: nothing is written. */
const attempt = {
  method: 'post',
  auth: 'user',
  writes: 'none',
  bodyLimit: TRIAL_BODY_BYTES,
} as const;
const manage = { auth: 'user', roles: MANAGERS } as const;
const toAudit = (action: string) => ({ action, resource: 'policy_test' });

export const policyTrialRoutes = [
  route({
    path: '/_new/dry-run',
    summary: 'Evaluate a new policy against a fixture',
    ...attempt,
    body: dryRunInput,
    data: dryRunView,
    handler: ({ ctx, body }) => runCandidate(ctx, body),
  }),
  route({
    path: '/:id/dry-run',
    summary: 'Evaluate a policy, or a candidate for it, against a fixture',
    ...attempt,
    params: byId,
    body: dryRunOfPolicyInput,
    data: dryRunView,
    handler: ({ ctx, params, body }) => runPolicy(ctx, params.id, body),
  }),
  route({
    method: 'get',
    path: '/:id/tests',
    summary: 'List the regression tests of a policy',
    auth: 'reader',
    agentScope: 'irrelevant',
    params: byId,
    page: { limit: 50, max: 200 },
    data: policyTestView,
    handler: ({ ctx, params, page }) => listPolicyTests(ctx, params.id, page),
  }),
  route({
    method: 'post',
    path: '/:id/tests',
    summary: 'Add a regression test to a policy',
    ...manage,
    status: 201,
    params: byId,
    body: policyTestInput,
    data: policyTestView,
    codes: ['INVALID_OPERATION'],
    audit: toAudit('policy.test.create'),
    handler: async ({ ctx, params, body }) =>
      reply(201, await createPolicyTest(ctx, params.id, body)),
  }),
  route({
    method: 'delete',
    path: '/:policyId/tests/:testId',
    summary: 'Remove a regression test of a policy',
    ...manage,
    params: policyTestParams,
    data: deletedPolicyTestView,
    audit: toAudit('policy.test.delete'),
    handler: ({ ctx, params }) => removePolicyTest(ctx, params.policyId, params.testId),
  }),
  route({
    path: '/:id/run-tests',
    summary: 'Run the regression tests of a policy, or of a candidate for it',
    ...attempt,
    heavy: true,
    params: byId,
    body: runTestsInput,
    data: testRunView,
    handler: ({ ctx, params, body }) => runPolicyTests(ctx, params.id, body.policy),
  }),
];
