// Stores and runs regression tests of policies (document 2, section 4.2).
import type { z } from 'zod';
import type { JsonObject } from '@assay/json';
import type { ActionType } from '@assay/policy';
import type { Context, UserContext } from '../../platform/context.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Page } from '../../domain/page.ts';
import { compileTrial } from '../../domain/policies/trials/dry-run.ts';
import {
  findOr404,
  insertOne,
  type Listed,
  listPage,
  requireFewer,
  type DeletedView,
  toDeletedView,
} from '../../platform/mongo/queries.ts';
import { AWAITED, createThrottle } from '../../platform/concurrency/adaptive-throttle.ts';
import { lockOrganization } from '../../identity/organization/memberships/memberships.service.ts';
import type { PolicyContents } from '../policies.model.ts';
import { getPolicy } from '../policies.service.ts';
import { createReader, loadDefinition } from './dry-run.service.ts';
import type { PolicyTestDocument } from './policy-tests.model.ts';
import { type policyTestInput, trialLimits, type TestRun } from './trials.schemas.ts';

interface PolicyTestView extends Omit<PolicyTestDocument, 'fixture'> {
  id: PolicyTestDocument['_id'];
  fixture: JsonObject;
}

interface TestResult {
  testId: PolicyTestDocument['_id'];
  name: string;
  passed: boolean;
  expected: ActionType;
  actual: ActionType;
}

/** Lists the tests of the policy, newest first. @throws AppError `NOT_FOUND` */
export async function listPolicyTests(
  ctx: Context,
  policyId: string,
  page: Page,
): Promise<Listed<PolicyTestView>> {
  const where = await filterTests(ctx, policyId);
  const { items, total } = await listPage(ctx.platform.models.policyTests, where, page);
  return { items: items.map(toView), total };
}

/** @throws AppError `NOT_FOUND`; `INVALID_OPERATION` when the policy has as many as it may */
export async function createPolicyTest(
  ctx: UserContext,
  policyId: string,
  { name, fixture, expected }: z.output<typeof policyTestInput>,
): Promise<PolicyTestView> {
  const { platform, user } = ctx;
  const where = await filterTests(ctx, policyId);
  await requireRoom(platform, where);
  const row = { name, expected, fixture: JSON.stringify(fixture), createdBy: user.userId };
  return toView(await insertOne(platform.models.policyTests, { ...where, ...row }));
}

/** @throws AppError `NOT_FOUND` */
export async function removePolicyTest(
  ctx: Context,
  policyId: string,
  testId: string,
): Promise<DeletedView<PolicyTestDocument['_id']>> {
  const where = { ...(await filterTests(ctx, policyId)), _id: testId };
  const query = ctx.platform.models.policyTests.findOneAndDelete(where);
  const { _id } = await findOr404(query.lean<PolicyTestDocument>());
  return toDeletedView({ _id });
}

/**
 * Runs all tests of the policy, oldest first, on it or on a candidate in its place.
 * @throws AppError `NOT_FOUND`
 */
export async function runPolicyTests(
  ctx: Context,
  policyId: string,
  candidate: PolicyContents | undefined,
): Promise<TestRun> {
  const { platform, tenant } = ctx;
  const definition = await loadDefinition(ctx, policyId, candidate);
  const read = await createReader(ctx);
  const tests = await platform.models.policyTests
    .find({ organizationId: tenant.organizationId, policyId })
    .sort({ createdAt: 1, _id: 1 })
    .limit(2 * trialLimits.tests)
    .lean<PolicyTestDocument[]>();
  const trial = compileTrial(definition);
  const throttle = createThrottle(AWAITED);
  const results: TestResult[] = [];
  for (const { _id: testId, name, fixture, expected } of tests) {
    const facts = await read(JSON.parse(fixture) as JsonObject);
    const actual = trial.evaluate(facts).action;
    results.push({ testId, name, passed: actual === expected, expected, actual });
    await throttle.pauseWhenDue();
  }
  const passed = results.filter((result) => result.passed).length;
  return { results, passed, failed: results.length - passed };
}

/** @throws AppError `NOT_FOUND` when the policy is not one that the tenant sees */
async function filterTests(ctx: Context, policyId: string) {
  await getPolicy(ctx, policyId);
  return { organizationId: ctx.tenant.organizationId, policyId };
}

/** Takes the lock of the organisation first, so that the count holds. @throws AppError `INVALID_OPERATION` */
async function requireRoom(
  platform: Platform,
  where: { organizationId: string; policyId: string },
): Promise<void> {
  await lockOrganization(platform, where.organizationId);
  const found = platform.models.policyTests.countDocuments(where);
  const most = trialLimits.tests;
  await requireFewer(found, most, `A policy may have at most ${most} tests`);
}

function toView(test: PolicyTestDocument): PolicyTestView {
  return { ...test, id: test._id, fixture: JSON.parse(test.fixture) as JsonObject };
}
