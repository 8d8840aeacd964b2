// Creates, lists, changes, moves and deletes impact assessments (document 3, sections 3 and 4.1).
import type { QueryFilter } from 'mongoose';
import type { z } from 'zod';
import { toLiteralPattern } from '@assay/patterns';
import type { Context, UserContext } from '../../platform/context.ts';
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
import type { Page } from '../../domain/page.ts';
import type { Platform } from '../../platform/platform.ts';
import { AppError } from '../../errors.ts';
import {
  AFTER,
  countAtMost,
  findOr404,
  insertOne,
  type Listed,
  listPage,
  type DeletedView,
  toDeletedView,
} from '../../platform/mongo/queries.ts';
import { queueAttestation } from '../../evidence/hash-chain/attestations.service.ts';
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

export async function listAssessments(
  { platform, tenant: { organizationId } }: Context,
  { status, search }: z.output<typeof assessmentQuery>,
  page: Page,
): Promise<Listed<AssessmentView>> {
  const where: QueryFilter<AssessmentDocument> = { organizationId };
  if (status !== undefined) where.status = status;
  if (search !== undefined) where.systemName = toLiteralPattern(search);
  const { items, total } = await listPage(platform.models.assessments, where, page);
  return { items: items.map(toView), total };
}

/** Counts the assessments of an organisation, up to a bound. */
export async function countAssessments(
  { models }: Platform,
  organizationId: string,
): Promise<{ all: number; approved: number }> {
  return {
    all: await countAtMost(models.assessments, { organizationId }),
    approved: await countAtMost(models.assessments, { organizationId, status: 'approved' }),
  };
}

/** @throws AppError `NOT_FOUND` */
export async function getAssessment(ctx: Context, id: string): Promise<AssessmentView> {
  return toView(await findAssessment(ctx, id));
}

export async function createAssessment(
  { platform, tenant: { organizationId } }: Context,
  { identifiedRisks = [], risksIdentified, mitigations, ...fields }: Input,
): Promise<AssessmentView> {
  const rows = limitRows(mergeRiskTexts(identifiedRisks, { risksIdentified, mitigations }));
  const row = { ...fields, identifiedRisks: rows, organizationId };
  return toView(await insertOne(platform.models.assessments, row));
}

/** @throws AppError `NOT_FOUND`, `INVALID_OPERATION` unless draft or in review */
export async function updateAssessment(
  ctx: Context,
  id: string,
  { identifiedRisks, risksIdentified, mitigations, ...fields }: Change,
): Promise<AssessmentView> {
  const found = await findAssessment(ctx, id);
  if (!isEditable(found.status)) throw new AppError('INVALID_OPERATION', EDITABLE);
  const risks = identifiedRisks ?? found.identifiedRisks;
  const rows = limitRows(mergeRiskTexts(risks, { risksIdentified, mitigations }));
  return toView(await writeChange(ctx, found, { ...fields, identifiedRisks: rows }));
}

/** @throws AppError `NOT_FOUND`, `FORBIDDEN` for a role that may not approve, `FRIA_TRANSITION_FAILED` */
export async function moveAssessment(
  ctx: UserContext,
  id: string,
  to: AssessmentStatus,
): Promise<MovedAssessment> {
  const { userId, role } = ctx.user;
  const isManager = MANAGERS.includes(role);
  if (to === 'approved' && !isManager) throw new AppError('FORBIDDEN');
  const found = await findAssessment(ctx, id);
  const { status: from } = found;
  if (isApproverOnly(from, to) && !isManager) throw new AppError('FORBIDDEN');
  if (!mayMove(from, to)) throw createMoveError(from, to);
  const stamp = stampMove(found, { to, userId, now: ctx.platform.clock.now() });
  const moved = await writeChange(ctx, found, stamp);
  if (to === 'approved') await attestApproval(ctx, moved);
  return { assessment: toView(moved), from };
}

/** Deletes a draft that was never submitted. @throws AppError `NOT_FOUND` */
export async function removeAssessment(
  { platform, tenant: { organizationId } }: Context,
  id: string,
): Promise<DeletedView<AssessmentDocument['_id']>> {
  const where = { _id: id, organizationId, status: 'draft', submittedAt: null } as const;
  const query = platform.models.assessments.findOneAndDelete(where);
  const { _id } = await findOr404(query.lean<AssessmentDocument>());
  return toDeletedView({ _id });
}

function findAssessment(
  { platform, tenant: { organizationId } }: Context,
  _id: string,
): Promise<AssessmentDocument> {
  const query = platform.models.assessments.findOne({ _id, organizationId });
  return findOr404(query.lean<AssessmentDocument>());
}

/** Writes unless another request has moved the assessment; the request's transaction detects that. */
function writeChange(
  { platform }: Context,
  found: AssessmentDocument,
  $set: Partial<AssessmentDocument>,
): Promise<AssessmentDocument> {
  const { _id, organizationId, status } = found;
  const where = { _id, organizationId, status };
  const query = platform.models.assessments.findOneAndUpdate(where, { $set }, AFTER);
  return findOr404(query.lean<AssessmentDocument>());
}

/** Queues a ledger entry that names the anchor. */
function attestApproval(
  { platform, tenant: { organizationId, actor }, user }: UserContext,
  { _id, chainHash }: AssessmentDocument,
): Promise<void> {
  const assessmentId = _id.toHexString();
  const digest = chainHash ?? '';
  const attestation = { kind: 'assessment', assessmentId, status: 'approved', digest } as const;
  return queueAttestation(
    platform,
    { ...attestation, organizationId, workspaceId: null, actor },
    { approver: user.email },
  );
}

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
