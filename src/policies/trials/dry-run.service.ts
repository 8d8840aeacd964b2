// Dry runs: a candidate judges a made-up decision without writing anything (document 2, section 4.2).
import type { JsonObject } from '@assay/json';
import { createScrubber, type Scrubber } from '@assay/scrub';
import type { PolicyDefinition } from '@assay/policy';
import type { Platform } from '../../platform/platform.ts';
import type { Context } from '../../platform/context.ts';
import { tryPolicy, type DryRun } from '../../domain/policies/trials/dry-run.ts';
import { deriveFixtureFacts } from '../../domain/policies/trials/fixture.ts';
import { yieldToEventLoop } from '../../platform/concurrency/event-loop.ts';
import { perInstance } from '../../platform/per-instance.ts';
import { getNeighbours } from '../neighbours.ts';
import type { PolicyContents } from '../policies.model.ts';
import { getPolicy } from '../policies.service.ts';

type Reader = (fixture: JsonObject) => Promise<JsonObject>;

/** Placeholder id of a candidate; nothing refers to it. */
const CANDIDATE_ID = '0'.repeat(24);

/** Scrubbers by whether they look for national ids. */
const openScrubbers = perInstance(() => new Map<boolean, Scrubber>());

export async function runCandidate(
  ctx: Context,
  { policy, fixture }: { policy: PolicyContents; fixture: JsonObject },
): Promise<DryRun> {
  const read = await createReader(ctx);
  return tryPolicy(toCandidate(policy), await read(fixture));
}

/** @throws AppError `NOT_FOUND` */
export async function runPolicy(
  ctx: Context,
  policyId: string,
  { policy, fixture }: { policy?: PolicyContents | undefined; fixture: JsonObject },
): Promise<DryRun> {
  const definition = await loadDefinition(ctx, policyId, policy);
  const read = await createReader(ctx);
  return tryPolicy(definition, await read(fixture));
}

/** Returns the function that turns fixtures into facts, by the organisation's settings. */
export async function createReader({ platform, tenant }: Context): Promise<Reader> {
  const { organizations } = getNeighbours(platform);
  const { scrubNationalIds } = await organizations.getContext(tenant.organizationId);
  const scrubber = getScrubber(platform, scrubNationalIds);
  return async (fixture) => {
    const facts = deriveFixtureFacts(fixture, { scrubber, at: platform.clock.now() });
    await yieldToEventLoop();
    return facts;
  };
}

/** Returns the candidate, else the policy as it is stored. @throws AppError `NOT_FOUND` */
export async function loadDefinition(
  ctx: Context,
  policyId: string,
  candidate: PolicyContents | undefined,
): Promise<PolicyDefinition> {
  const stored = await getPolicy(ctx, policyId);
  return toCandidate(candidate ?? stored);
}

function getScrubber(platform: Platform, nationalIds: boolean): Scrubber {
  const scrubbers = openScrubbers(platform);
  let scrubber = scrubbers.get(nationalIds);
  if (!scrubber)
    scrubbers.set(nationalIds, (scrubber = createScrubber({ nationalIds, extended: true })));
  return scrubber;
}

function toCandidate({
  name,
  description,
  priority,
  conditions,
  actions,
}: PolicyContents): PolicyDefinition {
  return { id: CANDIDATE_ID, revision: 0, name, description, priority, conditions, actions };
}
