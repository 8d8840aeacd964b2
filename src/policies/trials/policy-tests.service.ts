// Stores and runs regression tests of policies (document 2, section 4.2).
import type { z } from 'zod';
import type { JsonObject } from '@assay/json';
import type { ActionType } from '@assay/policy';
import type { Platform } from '../../platform/platform.ts';
import type { Tenant, User } from '../../domain/identity/tenant.ts';
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
import type { MembershipService } from '../../identity/organization/memberships/memberships.service.ts';
import type { PolicyContents } from '../policies.model.ts';
import type { PolicyService } from '../policies.service.ts';
import type { DryRunService } from './dry-run.service.ts';
import type { PolicyTestDocument } from './policy-tests.model.ts';
import { type policyTestInput, trialLimits, type TestRun } from './trials.schemas.ts';

interface Deps {
  memberships: MembershipService;
  definitions: PolicyService;
  dryRuns: DryRunService;
}

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

export function createPolicyTestService(platform: Pick<Platform, 'models'>, deps: Deps) {
  const { models } = platform;
  const { memberships, definitions, dryRuns } = deps;

  /** @throws AppError `NOT_FOUND` when the policy is not one that the tenant sees */
  async function filterTests(tenant: Tenant, policyId: string) {
    await definitions.getPolicy(tenant, policyId);
    return { organizationId: tenant.organizationId, policyId };
  }

  /** Takes the lock of the organisation first, so that the count holds. @throws AppError `INVALID_OPERATION` */
  async function requireRoom(where: { organizationId: string; policyId: string }): Promise<void> {
    await memberships.lockOrganization(where.organizationId);
    const found = models.policyTests.countDocuments(where);
    const most = trialLimits.tests;
    await requireFewer(found, most, `A policy may have at most ${most} tests`);
  }

  return {
    /** Lists the tests of the policy, newest first. @throws AppError `NOT_FOUND` */
    async listTests(tenant: Tenant, policyId: string, page: Page): Promise<Listed<PolicyTestView>> {
      const where = await filterTests(tenant, policyId);
      const { items, total } = await listPage(models.policyTests, where, page);
      return { items: items.map(toView), total };
    },

    /** @throws AppError `NOT_FOUND`; `INVALID_OPERATION` when the policy has as many as it may */
    async create(
      { tenant, user }: { tenant: Tenant; user: User },
      policyId: string,
      { name, fixture, expected }: z.output<typeof policyTestInput>,
    ): Promise<PolicyTestView> {
      const where = await filterTests(tenant, policyId);
      await requireRoom(where);
      const row = { name, expected, fixture: JSON.stringify(fixture), createdBy: user.userId };
      return toView(await insertOne(models.policyTests, { ...where, ...row }));
    },

    /** @throws AppError `NOT_FOUND` */
    async remove(
      tenant: Tenant,
      policyId: string,
      testId: string,
    ): Promise<DeletedView<PolicyTestDocument['_id']>> {
      const where = { ...(await filterTests(tenant, policyId)), _id: testId };
      const { _id } = await findOr404(
        models.policyTests.findOneAndDelete(where).lean<PolicyTestDocument>(),
      );
      return toDeletedView({ _id });
    },

    /**
     * Runs all tests of the policy, oldest first, on it or on a candidate in its place.
     * @throws AppError `NOT_FOUND`
     */
    async runTests(
      tenant: Tenant,
      policyId: string,
      candidate: PolicyContents | undefined,
    ): Promise<TestRun> {
      const definition = await dryRuns.loadDefinition(tenant, policyId, candidate);
      const read = await dryRuns.createReader(tenant);
      const tests = await models.policyTests
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
    },
  };
}
export type PolicyTestService = ReturnType<typeof createPolicyTestService>;

function toView(test: PolicyTestDocument): PolicyTestView {
  return { ...test, id: test._id, fixture: JSON.parse(test.fixture) as JsonObject };
}
