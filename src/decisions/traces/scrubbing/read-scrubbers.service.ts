// Chooses the scrubber outside ingestion: for stored decisions that are read, and for people's texts about them.
import { getOrganizationContext } from '../../../identity/organization/organization.service.ts';
import type { Scrubber } from '@assay/scrub';
import type { Platform } from '../../../platform/platform.ts';
import { getMatchingScrubber, getReadScrubber, getScrubber } from './scrubbers.ts';
import type { ScrubberOf } from '../trace-pages.ts';

/** The version of the rules that a stored decision was scrubbed by. */
interface ScrubbedBefore {
  scrub: { rulesVersion: string };
}

/** Scrubs stored decisions on reading, by the rules in force for the organisation. */
export async function loadReadScrubber(
  platform: Platform,
  organizationId: string,
): Promise<ScrubberOf> {
  const nationalIds = await findNationalIds(platform, organizationId);
  return ({ scrub }) => getReadScrubber(scrub.rulesVersion, nationalIds);
}

/** Scrubs values that replace a decision's own: rules in force, with the additional pass if the decision had it. */
export async function loadAmendmentScrubber(
  platform: Platform,
  organizationId: string,
): Promise<(trace: ScrubbedBefore) => Scrubber> {
  const nationalIds = await findNationalIds(platform, organizationId);
  return ({ scrub }) => getMatchingScrubber(scrub.rulesVersion, nationalIds);
}

/** Lists what a short text may have been stored as, by what its agent asks for; itself among them. */
export async function listStoredForms(
  platform: Platform,
  organizationId: string,
  text: string,
): Promise<string[]> {
  const nationalIds = await findNationalIds(platform, organizationId);
  const scrubbed = [false, true].map((extended) =>
    String(getScrubber({ nationalIds, extended }).scrubValue(text).value),
  );
  return [...new Set([text, ...scrubbed])];
}

/** Scrubs texts that people write about decisions. */
export async function loadTextScrubber(
  platform: Platform,
  organizationId: string,
): Promise<Scrubber> {
  const nationalIds = await findNationalIds(platform, organizationId);
  return getScrubber({ nationalIds, extended: false });
}

async function findNationalIds(platform: Platform, organizationId: string): Promise<boolean> {
  return (await getOrganizationContext(platform, organizationId)).scrubNationalIds;
}
