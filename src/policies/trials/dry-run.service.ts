// Dry runs: a candidate judges a made-up decision without writing anything (document 2, section 4.2).
import { getOrganizationContext } from '../../identity/organization/organization.service.ts';
import type { JsonObject } from '@assay/json';
import { createScrubber, type Scrubber } from '@assay/scrub';
import type { PolicyDefinition } from '@assay/policy';
import type { Platform } from '../../platform/platform.ts';
import type { Context } from '../../platform/context.ts';
import { tryPolicy, type DryRun } from '../../domain/policies/trials/dry-run.ts';
import { deriveFixtureFacts } from '../../domain/policies/trials/fixture.ts';
import { yieldToEventLoop } from '../../platform/concurrency/event-loop.ts';
import { takeOnly } from '../../platform/mongo/queries.ts';
import { perInstance } from '../../platform/per-instance.ts';
import { findCurrentLists, selectListsOf, withLists } from '../lists/list-contents.service.ts';
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
  const workspaceId = ctx.tenant.workspaceId ?? ctx.tenant.defaultWorkspaceId;
  return tryPolicy(await toCandidate(ctx, policy, workspaceId), await read(fixture));
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
  const { scrubNationalIds } = await getOrganizationContext(platform, tenant.organizationId);
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
  return toCandidate(ctx, candidate ?? stored, stored.workspaceId.toHexString());
}

function getScrubber(platform: Platform, nationalIds: boolean): Scrubber {
  const scrubbers = openScrubbers(platform);
  let scrubber = scrubbers.get(nationalIds);
  if (!scrubber)
    scrubbers.set(nationalIds, (scrubber = createScrubber({ nationalIds, extended: true })));
  return scrubber;
}

/** The definition with the lists that it names, as they are now. */
async function toCandidate(
  { platform: { models }, tenant: { organizationId } }: Context,
  { name, description, priority, conditions, actions }: PolicyContents,
  workspaceId: string,
): Promise<PolicyDefinition> {
  const id = CANDIDATE_ID;
  const policy = { id, revision: 0, name, description, priority, conditions, actions };
  const lists = selectListsOf(
    await findCurrentLists(models, organizationId, [policy]),
    workspaceId,
  );
  return takeOnly(withLists(models, organizationId, [{ policy, lists }]));
}
