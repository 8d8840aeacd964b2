// Creates the services of policies: definitions, policy sets, approvals, canaries, rule language, trials, replays.
import { createTarGz } from '../platform/archive/tar-gz.ts';
import { createApprovalHistory } from '../policies/approvals/approval-history.service.ts';
import { createApprovalNotices } from '../policies/approvals/approval-notices.service.ts';
import { createApprovalService } from '../policies/approvals/approvals.service.ts';
import { createDirectEdits } from '../policies/approvals/direct-edits.service.ts';
import { createApprovalEnforcement } from '../policies/approvals/enforcement.service.ts';
import { createPolicyBundleService } from '../policies/bundle/bundle.service.ts';
import { createEffectivenessService } from '../policies/effectiveness/effectiveness.service.ts';
import { createCanaryNotices } from '../policies/canary/canary-notices.service.ts';
import { createCanaryService } from '../policies/canary/canary.service.ts';
import { createPolicyLanguageService } from '../policies/language/language.service.ts';
import { createPolicyService } from '../policies/policies.service.ts';
import { createPolicySetService } from '../policies/policy-sets.service.ts';
import { createReplayService } from '../policies/replay/replay.service.ts';
import { createDryRunService } from '../policies/trials/dry-run.service.ts';
import { createExplanationService } from '../policies/trials/explanation.service.ts';
import { createPolicyTestService } from '../policies/trials/policy-tests.service.ts';
import type { Listeners } from '../services.ts';
import type { Identity } from './identity.ts';
import type { Platform } from '../platform/platform.ts';
import type { Signing } from './governance.ts';

type Deps = Pick<Identity, 'organizations' | 'workspaces' | 'memberships'> &
  Pick<Signing, 'signer'> &
  Pick<Listeners, 'notices' | 'managerNotices' | 'readers'>;

export function createPolicies(
  platform: Platform,
  { organizations, workspaces, memberships, signer, notices, managerNotices, readers }: Deps,
) {
  const sets = createPolicySetService(platform);
  const directEdits = createDirectEdits({ organizations });
  const approvalHistory = createApprovalHistory(platform);
  const definitions = createPolicyService(platform, {
    memberships,
    policySets: sets,
    requireAllowed: directEdits.requireAllowed,
    workspaces,
    approvalHistory,
  });
  const approved = createPolicyService(platform, {
    memberships,
    policySets: sets,
    requireAllowed: () => Promise.resolve(),
    workspaces,
    approvalHistory,
  });
  const enforcement = createApprovalEnforcement({ definitions: approved });
  const canaries = createCanaryService(platform, {
    policySets: sets,
    requireAllowed: directEdits.requireAllowed,
    definitions,
    approved,
    canaryNotices: createCanaryNotices({ managerNotices }),
    decisionLookup: readers.decisionLookup,
  });
  const approvalNotices = createApprovalNotices(platform, {
    accountReader: readers.accountReader,
    notices,
  });
  const approvals = createApprovalService(platform, {
    memberships,
    definitions,
    enforcement,
    approvalNotices,
  });
  const language = createPolicyLanguageService({ definitions });
  const dryRuns = createDryRunService(platform, { definitions, organizations });
  const explanations = createExplanationService(platform, readers);
  const tests = createPolicyTestService(platform, { memberships, definitions, dryRuns });
  const replays = createReplayService(platform, { memberships, definitions });
  const effectiveness = createEffectivenessService(platform, { approvalHistory });
  const bundles = createPolicyBundleService(platform, { createTarGz, signer, approvalHistory });
  return {
    canaries,
    definitions,
    approvals,
    sets,
    language,
    dryRuns,
    explanations,
    tests,
    replays,
    effectiveness,
    bundles,
  };
}
