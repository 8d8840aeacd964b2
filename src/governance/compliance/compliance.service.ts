// Compliance mapping: attestations of a framework's clauses, recorded on the chain (document 3, section 4.3).
import type { z } from 'zod';
import type { Platform } from '../../platform/platform.ts';
import {
  CATALOGUES,
  type Coverage,
  computeCoverage,
  type Framework,
  hasClause,
} from '../../domain/compliance/frameworks.ts';
import type { Tenant, User } from '../../domain/identity/tenant.ts';
import { AppError } from '../../errors.ts';
import { findOr404, omitUndefined } from '../../platform/mongo/queries.ts';
import type { AttestationService } from '../../evidence/hash-chain/attestations.service.ts';
import type { ComplianceNoteDocument } from './compliance.model.ts';
import type { mappingInput, Mapping } from './compliance.schemas.ts';

interface Deps {
  attestations: AttestationService;
}

/** Has the id under both documented names. */
type NoteView = ComplianceNoteDocument & { id: ComplianceNoteDocument['_id'] };

export function createComplianceService(
  { models, clock }: Pick<Platform, 'models' | 'clock'>,
  { attestations }: Deps,
) {
  /** Lists the notes in the order of the catalogue. */
  async function listNotes(organizationId: string, framework: Framework): Promise<NoteView[]> {
    const found = await models.complianceNotes
      .find({ organizationId, framework })
      .lean<ComplianceNoteDocument[]>();
    const places = new Map(
      CATALOGUES[framework].clauses.map(({ clauseId }, place) => [clauseId, place]),
    );
    const getPlace = ({ clauseId }: NoteView): number => places.get(clauseId) ?? places.size;
    return found.map(toView).sort((a, b) => getPlace(a) - getPlace(b));
  }

  return {
    async loadMapping({ organizationId }: Tenant, framework: Framework): Promise<Mapping> {
      const { version: catalogVersion, clauses } = CATALOGUES[framework];
      const notes = await listNotes(organizationId, framework);
      return {
        framework,
        catalogVersion,
        totalClauses: clauses.length,
        coverage: computeCoverage(framework, notes),
        notes,
        clauses: [...clauses],
      };
    },

    /**
     * Attests a clause; omitted fields stay.
     * @throws AppError `VALIDATION_ERROR` for a clause that the framework does not have
     */
    async attest(
      tenant: Tenant,
      { userId, email }: User,
      { framework, clauseId, status, evidence }: z.output<typeof mappingInput>,
    ): Promise<{ note: NoteView; coverage: Coverage }> {
      if (!hasClause(framework, clauseId))
        throw new AppError('VALIDATION_ERROR', `${framework} has no clause of this clauseId`);
      const { organizationId, actor } = tenant;
      const review = { reviewedAt: clock.now(), reviewedBy: userId, reviewedByEmail: email };
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
      await attestations.queue(
        {
          kind: 'compliance',
          organizationId,
          workspaceId: null,
          actor,
          framework,
          clauseId,
          catalogVersion: CATALOGUES[framework].version,
          status: note.status,
        },
        { evidence: note.evidence, reviewer: email },
      );
      const coverage = computeCoverage(framework, await listNotes(organizationId, framework));
      return { note: toView(note), coverage };
    },
  };
}
export type ComplianceService = ReturnType<typeof createComplianceService>;

function toView(note: ComplianceNoteDocument): NoteView {
  return { ...note, id: note._id };
}
