// The legacy map of compliance: free texts by clause, until all use the structured notes (document 3, section 4.3).
import type { Platform } from '../../platform/platform.ts';
import type { Tenant } from '../../domain/identity/tenant.ts';
import type { ComplianceNoteDocument, LegacyNotesDocument } from './compliance.model.ts';

/** Texts by clause. */
type LegacyMap = Record<string, string>;

export function createLegacyNoteService({ models }: Pick<Platform, 'models'>) {
  async function readLegacyMap({ organizationId }: Tenant): Promise<LegacyMap> {
    const withEvidence = models.complianceNotes.find(
      { organizationId, evidence: { $nin: [null, ''] } },
      'clauseId evidence',
    );
    const notes =
      await withEvidence.lean<Pick<ComplianceNoteDocument, 'clauseId' | 'evidence'>[]>();
    const legacy = await models.legacyNotes.findOne({ organizationId }).lean<LegacyNotesDocument>();
    return Object.fromEntries([
      ...notes.map(({ clauseId, evidence }) => [clauseId, evidence ?? '']),
      ...(legacy?.notes ?? []).map(({ clauseId, text }) => [clauseId, text]),
    ]) as LegacyMap;
  }

  return {
    /** Returns the evidence of the structured notes, overridden by the legacy texts. */
    readLegacyMap,

    /** Replaces the legacy map; structured notes stay. */
    async replace(tenant: Tenant, map: LegacyMap): Promise<LegacyMap> {
      const { organizationId } = tenant;
      const notes = Object.entries(map).map(([clauseId, text]) => ({ clauseId, text }));
      await models.legacyNotes.updateOne({ organizationId }, { $set: { notes } }, { upsert: true });
      return readLegacyMap(tenant);
    },
  };
}
export type LegacyNoteService = ReturnType<typeof createLegacyNoteService>;
