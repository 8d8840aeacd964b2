// Creates, lists, changes, moves and deletes impact assessments (document 3, sections 3 and 4.1).
import type { QueryFilter } from 'mongoose';
import type { z } from 'zod';
import { toLiteralPattern } from '@assay/patterns';
import type { Platform } from '../../platform/platform.ts';
import {
  computeAnchor,
  computeCompleteness,
  type Risk,
  mergeRiskTexts,
} from '../../domain/fria/assessment.ts';
import {
  type AssessmentStatus,
  mayMove,
  isAnchored,
  isEditable,
  listMoves,
  isApproverOnly,
} from '../../domain/fria/assessment-status.ts';
import { MANAGERS } from '../../domain/identity/roles.ts';
import type { Tenant, User } from '../../domain/identity/tenant.ts';
import type { Page } from '../../domain/page.ts';
import { AppError } from '../../errors.ts';
import {
  AFTER,
  findOr404,
  insertOne,
  type Listed,
  listPage,
  type DeletedView,
  toDeletedView,
} from '../../platform/mongo/queries.ts';
import type { AttestationService } from '../../evidence/hash-chain/attestations.service.ts';
import type { AssessmentDocument } from './fria.model.ts';
import {
  type assessmentChange,
  type assessmentInput,
  type assessmentQuery,
  RISKS_MAX,
  type AssessmentView,
} from './fria.schemas.ts';

/** An assessment after a move, and its status before. */
export interface MovedAssessment {
  assessment: AssessmentView;
  from: AssessmentStatus;
}

const EDITABLE = 'An approved or archived assessment is not edited: move it back to draft first';

interface Deps {
  attestations: AttestationService;
}

export function createFriaService(
  { models, clock }: Pick<Platform, 'models' | 'clock'>,
  { attestations }: Deps,
) {
  function findAssessment({ organizationId }: Tenant, _id: string): Promise<AssessmentDocument> {
    return findOr404(
      models.assessments.findOne({ _id, organizationId }).lean<AssessmentDocument>(),
    );
  }

  /** Writes unless another request has moved the assessment; the request's transaction detects that. */
  function change(found: AssessmentDocument, $set: Partial<AssessmentDocument>) {
    const { _id, organizationId, status } = found;
    const where = { _id, organizationId, status };
    return findOr404(
      models.assessments.findOneAndUpdate(where, { $set }, AFTER).lean<AssessmentDocument>(),
    );
  }

  /** Queues a ledger entry that names the anchor. */
  function attestApproval(
    { organizationId, actor }: Tenant,
    { _id, chainHash }: AssessmentDocument,
    approver: string,
  ): Promise<void> {
    const assessmentId = _id.toHexString();
    const digest = chainHash ?? '';
    const attestation = { kind: 'assessment', assessmentId, status: 'approved', digest } as const;
    return attestations.queue(
      { ...attestation, organizationId, workspaceId: null, actor },
      { approver },
    );
  }

  return {
    async listAssessments(
      { organizationId }: Tenant,
      { status, search }: z.output<typeof assessmentQuery>,
      page: Page,
    ): Promise<Listed<AssessmentView>> {
      const where: QueryFilter<AssessmentDocument> = { organizationId };
      if (status !== undefined) where.status = status;
      if (search !== undefined) where.systemName = toLiteralPattern(search);
      const { items, total } = await listPage(models.assessments, where, page);
      return { items: items.map(toView), total };
    },

    /** @throws AppError `NOT_FOUND` */
    async getAssessment(tenant: Tenant, id: string): Promise<AssessmentView> {
      return toView(await findAssessment(tenant, id));
    },

    async create(
      { organizationId }: Tenant,
      { identifiedRisks = [], risksIdentified, mitigations, ...fields }: Input,
    ): Promise<AssessmentView> {
      const rows = limitRows(mergeRiskTexts(identifiedRisks, { risksIdentified, mitigations }));
      const row = { ...fields, identifiedRisks: rows, organizationId };
      return toView(await insertOne(models.assessments, row));
    },

    /** @throws AppError `NOT_FOUND`, `INVALID_OPERATION` unless draft or in review */
    async update(
      tenant: Tenant,
      id: string,
      { identifiedRisks, risksIdentified, mitigations, ...fields }: Change,
    ): Promise<AssessmentView> {
      const found = await findAssessment(tenant, id);
      if (!isEditable(found.status)) throw new AppError('INVALID_OPERATION', EDITABLE);
      const risks = identifiedRisks ?? found.identifiedRisks;
      const rows = limitRows(mergeRiskTexts(risks, { risksIdentified, mitigations }));
      return toView(await change(found, { ...fields, identifiedRisks: rows }));
    },

    /** @throws AppError `NOT_FOUND`, `FORBIDDEN` for a role that may not approve, `FRIA_TRANSITION_FAILED` */
    async moveAssessment(
      tenant: Tenant,
      { userId, role, email }: User,
      { id, to }: { id: string; to: AssessmentStatus },
    ): Promise<MovedAssessment> {
      const isManager = MANAGERS.includes(role);
      if (to === 'approved' && !isManager) throw new AppError('FORBIDDEN');
      const found = await findAssessment(tenant, id);
      const { status: from } = found;
      if (isApproverOnly(from, to) && !isManager) throw new AppError('FORBIDDEN');
      if (!mayMove(from, to)) throw createMoveError(from, to);
      const moved = await change(found, stampMove(found, { to, userId, now: clock.now() }));
      if (to === 'approved') await attestApproval(tenant, moved, email);
      return { assessment: toView(moved), from };
    },

    /** Deletes a draft that was never submitted. @throws AppError `NOT_FOUND` */
    async remove(
      { organizationId }: Tenant,
      id: string,
    ): Promise<DeletedView<AssessmentDocument['_id']>> {
      const where = { _id: id, organizationId, status: 'draft', submittedAt: null } as const;
      const { _id } = await findOr404(
        models.assessments.findOneAndDelete(where).lean<AssessmentDocument>(),
      );
      return toDeletedView({ _id });
    },
  };
}
export type FriaService = ReturnType<typeof createFriaService>;

type Input = z.output<typeof assessmentInput>;
type Change = z.output<typeof assessmentChange>;

/** Returns the fields that a move sets. */
function stampMove(
  found: AssessmentDocument,
  { to, userId, now }: { to: AssessmentStatus; userId: string; now: Date },
) {
  const isApproved = to === 'approved';
  return {
    status: to,
    ...(isAnchored(to) && { chainHash: computeAnchor(found) }),
    ...(to === 'review' && { submittedAt: found.submittedAt ?? now }),
    ...(isApproved && { approvedBy: userId as never, approvedAt: now }),
    ...(to === 'draft' && { approvedBy: null, approvedAt: null }),
  };
}

function createMoveError(from: AssessmentStatus, to: AssessmentStatus): AppError {
  const targets = listMoves(from);
  const hint = targets.length === 0 ? 'it stays there' : `it may become ${targets.join(' or ')}`;
  return new AppError(
    'FRIA_TRANSITION_FAILED',
    `From ${from} no assessment becomes ${to}; ${hint}`,
  );
}

/** Limits the rows, with the synthetic one. @throws AppError `VALIDATION_ERROR` */
function limitRows(rows: Risk[]): Risk[] {
  if (rows.length > RISKS_MAX)
    throw new AppError('VALIDATION_ERROR', `identifiedRisks: at most ${RISKS_MAX} rows`);
  return rows;
}

function toView(assessment: AssessmentDocument): AssessmentView {
  const completenessScore = computeCompleteness(assessment);
  return { ...assessment, id: assessment._id, completenessScore };
}
