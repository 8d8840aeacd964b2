// What an organisation's texts are scrubbed with outside ingestion: stored decisions that are read, words that people write about them.
import type { Scrubber } from '../../domain/scrub/scrubber.ts';
import type { OrganizationService } from '../organization/organization.service.ts';
import type { Scrubbers } from './ingestion/scrubbers.ts';
import type { ScrubberOf } from './trace-pages.ts';

/** Which rules a stored decision was scrubbed by. */
interface ScrubbedBefore {
  scrub: { rulesVersion: string };
}

interface Deps {
  organizations: OrganizationService;
  scrubbers: Scrubbers;
}

export function createReadScrubbers({ organizations, scrubbers }: Deps) {
  return {
    /** By the rules that are in force for the organisation. */
    async readingFor(organizationId: string): Promise<ScrubberOf> {
      const { scrubNationalIds } = await organizations.context(organizationId);
      return ({ scrub }) => scrubbers.forReading(scrub.rulesVersion, scrubNationalIds);
    },

    /** For values that are put in the place of a decision's own. */
    async amendingFor(organizationId: string): Promise<(trace: ScrubbedBefore) => Scrubber> {
      const { scrubNationalIds } = await organizations.context(organizationId);
      return ({ scrub }) => scrubbers.likeThatOf(scrub.rulesVersion, scrubNationalIds);
    },

    /** For what is written about decisions. */
    async writingFor(organizationId: string): Promise<Scrubber> {
      const { scrubNationalIds: nationalIds } = await organizations.context(organizationId);
      return scrubbers.of({ nationalIds, extended: false });
    },
  };
}
export type ReadScrubbers = ReturnType<typeof createReadScrubbers>;
