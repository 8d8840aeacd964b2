// The legacy map of compliance: free texts by clause, until all use the structured notes (document 3, section 4.3).
import type { Context } from '../../platform/context.ts';
import type { ComplianceNoteDocument, LegacyNotesDocument } from './compliance.model.ts';

/** Texts by clause. */
type LegacyMap = Record<string, string>;

/** Returns the evidence of the structured notes, overridden by the legacy texts. */
export async function readLegacyMap({
  platform: { models },
  tenant: { organizationId },
}: Context): Promise<LegacyMap> {
  const withEvidence = models.complianceNotes.find(
    { organizationId, evidence: { $nin: [null, ''] } },
    'clauseId evidence',
  );
  const notes = await withEvidence.lean<Pick<ComplianceNoteDocument, 'clauseId' | 'evidence'>[]>();
  const legacy = await models.legacyNotes.findOne({ organizationId }).lean<LegacyNotesDocument>();
  return Object.fromEntries([
    ...notes.map(({ clauseId, evidence }) => [clauseId, evidence ?? '']),
    ...(legacy?.notes ?? []).map(({ clauseId, text }) => [clauseId, text]),
  ]) as LegacyMap;
}

/** Replaces the legacy map; structured notes stay. */
export async function replaceLegacyMap(ctx: Context, map: LegacyMap): Promise<LegacyMap> {
  const { organizationId } = ctx.tenant;
  const notes = Object.entries(map).map(([clauseId, text]) => ({ clauseId, text }));
  const { legacyNotes } = ctx.platform.models;
  await legacyNotes.updateOne({ organizationId }, { $set: { notes } }, { upsert: true });
  return readLegacyMap(ctx);
}
