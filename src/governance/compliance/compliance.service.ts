// Compliance mapping: attestations of a framework's clauses, recorded on the chain (document 3, section 4.3).
import type { z } from 'zod';
import type { Models } from '../../models.ts';
import type { Context, UserContext } from '../../platform/context.ts';
import {
  CATALOGUES,
  type Coverage,
  computeCoverage,
  type Framework,
  hasClause,
} from '../../domain/compliance/frameworks.ts';
import { AppError } from '../../errors.ts';
import { findOr404, omitUndefined } from '../../platform/mongo/queries.ts';
import { queueAttestation } from '../../evidence/hash-chain/attestations.service.ts';
import type { ComplianceNoteDocument } from './compliance.model.ts';
import type { mappingInput, Mapping } from './compliance.schemas.ts';

/** Has the id under both documented names. */
type NoteView = ComplianceNoteDocument & { id: ComplianceNoteDocument['_id'] };

export async function loadMapping(
  { platform, tenant: { organizationId } }: Context,
  framework: Framework,
): Promise<Mapping> {
  const { version: catalogVersion, clauses } = CATALOGUES[framework];
  const notes = await listNotes(platform.models, organizationId, framework);
  return {
    framework,
    catalogVersion,
    totalClauses: clauses.length,
    coverage: computeCoverage(framework, notes),
    notes,
    clauses: [...clauses],
  };
}

/**
 * Attests a clause; omitted fields stay.
 * @throws AppError `VALIDATION_ERROR` for a clause that the framework does not have
 */
export async function attestClause(
  ctx: UserContext,
  { framework, clauseId, status, evidence }: z.output<typeof mappingInput>,
): Promise<{ note: NoteView; coverage: Coverage }> {
  if (!hasClause(framework, clauseId))
    throw new AppError('VALIDATION_ERROR', `${framework} has no clause of this clauseId`);
  const { platform, tenant, user } = ctx;
  const { models, clock } = platform;
  const { organizationId } = tenant;
  const review = { reviewedAt: clock.now(), reviewedBy: user.userId, reviewedByEmail: user.email };
  const change = omitUndefined(Object.assign({ status, evidence }, review));
  const note = await findOr404(
    models.complianceNotes
      .findOneAndUpdate(
        { organizationId, framework, clauseId },
        { $set: change },
        { upsert: true, returnDocument: 'after' },
      )
      .lean<ComplianceNoteDocument>(),
  );
  await attestNote(ctx, note);
  const notes = await listNotes(models, organizationId, framework);
  return { note: toView(note), coverage: computeCoverage(framework, notes) };
}

function attestNote(
  { platform, tenant: { organizationId, actor }, user }: UserContext,
  { framework, clauseId, status, evidence }: ComplianceNoteDocument,
): Promise<void> {
  const catalogVersion = CATALOGUES[framework].version;
  const about = { organizationId, workspaceId: null, framework, clauseId, catalogVersion, status };
  return queueAttestation(
    platform,
    { kind: 'compliance', ...about, actor },
    { evidence, reviewer: user.email },
  );
}

/** Lists the notes in the order of the catalogue. */
async function listNotes(
  { complianceNotes }: Models,
  organizationId: string,
  framework: Framework,
): Promise<NoteView[]> {
  const found = await complianceNotes
    .find({ organizationId, framework })
    .lean<ComplianceNoteDocument[]>();
  const places = new Map(
    CATALOGUES[framework].clauses.map(({ clauseId }, place) => [clauseId, place]),
  );
  const getPlace = ({ clauseId }: NoteView): number => places.get(clauseId) ?? places.size;
  return found.map(toView).sort((a, b) => getPlace(a) - getPlace(b));
}

function toView(note: ComplianceNoteDocument): NoteView {
  return { ...note, id: note._id };
}
