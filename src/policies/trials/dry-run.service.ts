// Dry runs: a candidate judges a made-up decision without writing anything (document 2, section 4.2).
import type { JsonObject } from '@assay/json';
import { createScrubber, type Scrubber } from '@assay/scrub';
import type { PolicyDefinition } from '@assay/policy';
import type { Platform } from '../../platform/platform.ts';
import type { Tenant } from '../../domain/identity/tenant.ts';
import { tryPolicy, type DryRun } from '../../domain/policies/trials/dry-run.ts';
import { deriveFixtureFacts } from '../../domain/policies/trials/fixture.ts';
import { yieldToEventLoop } from '../../platform/concurrency/event-loop.ts';
import type { OrganizationService } from '../../identity/organization/organization.service.ts';
import type { PolicyContents } from '../policies.model.ts';
import type { PolicyService } from '../policies.service.ts';

interface Deps {
  definitions: PolicyService;
  organizations: OrganizationService;
}

type Reader = (fixture: JsonObject) => Promise<JsonObject>;

/** Placeholder id of a candidate; nothing refers to it. */
const CANDIDATE_ID = '0'.repeat(24);

export function createDryRunService(
  { clock }: Pick<Platform, 'clock'>,
  { definitions, organizations }: Deps,
) {
  const scrubbers = new Map<boolean, Scrubber>();

  function getScrubber(nationalIds: boolean): Scrubber {
    let scrubber = scrubbers.get(nationalIds);
    if (!scrubber)
      scrubbers.set(nationalIds, (scrubber = createScrubber({ nationalIds, extended: true })));
    return scrubber;
  }

  /** Returns the function that turns fixtures into facts, by the organisation's settings. */
  async function createReader({ organizationId }: Tenant): Promise<Reader> {
    const { scrubNationalIds } = await organizations.getContext(organizationId);
    const scrubber = getScrubber(scrubNationalIds);
    return async (fixture) => {
      const facts = deriveFixtureFacts(fixture, { scrubber, at: clock.now() });
      await yieldToEventLoop();
      return facts;
    };
  }

  /** Returns the candidate, else the policy as it is stored. @throws AppError `NOT_FOUND` */
  async function loadDefinition(
    tenant: Tenant,
    policyId: string,
    candidate: PolicyContents | undefined,
  ): Promise<PolicyDefinition> {
    const stored = await definitions.getPolicy(tenant, policyId);
    return toCandidate(candidate ?? stored);
  }

  return {
    createReader,
    loadDefinition,

    async runCandidate(
      tenant: Tenant,
      { policy, fixture }: { policy: PolicyContents; fixture: JsonObject },
    ): Promise<DryRun> {
      const read = await createReader(tenant);
      return tryPolicy(toCandidate(policy), await read(fixture));
    },

    /** @throws AppError `NOT_FOUND` */
    async runPolicy(
      tenant: Tenant,
      policyId: string,
      { policy, fixture }: { policy?: PolicyContents | undefined; fixture: JsonObject },
    ): Promise<DryRun> {
      const definition = await loadDefinition(tenant, policyId, policy);
      const read = await createReader(tenant);
      return tryPolicy(definition, await read(fixture));
    },
  };
}
export type DryRunService = ReturnType<typeof createDryRunService>;

function toCandidate({
  name,
  description,
  priority,
  conditions,
  actions,
}: PolicyContents): PolicyDefinition {
  return { id: CANDIDATE_ID, revision: 0, name, description, priority, conditions, actions };
}
