// Chooses the scrubber outside ingestion: for stored decisions that are read, and for people's texts about them.
import type { Scrubber } from '@assay/scrub';
import { getReadScrubber } from './scrubbers.ts';
import { getMatchingScrubber } from './scrubbers.ts';
import { getScrubber } from './scrubbers.ts';
import type { OrganizationService } from '../../../identity/organization/organization.service.ts';
import type { ScrubberOf } from '../trace-pages.ts';

/** The version of the rules that a stored decision was scrubbed by. */
interface ScrubbedBefore {
  scrub: { rulesVersion: string };
}

interface Deps {
  organizations: OrganizationService;
}

export function createReadScrubbers({ organizations }: Deps) {
  async function loadTextScrubber(organizationId: string): Promise<Scrubber> {
    const { scrubNationalIds: nationalIds } = await organizations.getContext(organizationId);
    return getScrubber({ nationalIds, extended: false });
  }

  return {
    /** Scrubs stored decisions on reading, by the rules in force for the organisation. */
    async loadReadScrubber(organizationId: string): Promise<ScrubberOf> {
      const { scrubNationalIds } = await organizations.getContext(organizationId);
      return ({ scrub }) => getReadScrubber(scrub.rulesVersion, scrubNationalIds);
    },

    /** Scrubs values that replace a decision's own: rules in force, with the additional pass if the decision had it. */
    async loadAmendmentScrubber(
      organizationId: string,
    ): Promise<(trace: ScrubbedBefore) => Scrubber> {
      const { scrubNationalIds } = await organizations.getContext(organizationId);
      return ({ scrub }) => getMatchingScrubber(scrub.rulesVersion, scrubNationalIds);
    },

    /** Lists what a short text may have been stored as, by what its agent asks for; itself among them. */
    async listStoredForms(organizationId: string, text: string): Promise<string[]> {
      const { scrubNationalIds: nationalIds } = await organizations.getContext(organizationId);
      const scrubbed = [false, true].map((extended) =>
        String(getScrubber({ nationalIds, extended }).scrubValue(text).value),
      );
      return [...new Set([text, ...scrubbed])];
    },

    /** Scrubs texts that people write about decisions. */
    loadTextScrubber,

    /** Removes personal data from one such text. */
    async scrubText(organizationId: string, text: string): Promise<string> {
      return (await loadTextScrubber(organizationId)).scrubString(text).text;
    },
  };
}
export type ReadScrubbers = ReturnType<typeof createReadScrubbers>;
