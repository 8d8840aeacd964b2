// Prints approved impact assessments (document 3, section 4.1: an addition).
import type { Context } from '../../platform/context.ts';
import { AppError } from '../../errors.ts';
import { findOr404 } from '../../platform/mongo/queries.ts';
import { findMailbox } from '../../identity/auth/accounts/account-reader.service.ts';
import { findOrganizationName } from '../../identity/organization/organization-facts.service.ts';
import { createAssessmentPdf } from './assessment-document.ts';
import type { AssessmentDocument } from './fria.model.ts';

/** @throws AppError `NOT_FOUND`, `INVALID_OPERATION` unless approved, and what rendering throws */
export async function printAssessment(
  { platform, tenant: { organizationId } }: Context,
  id: string,
): Promise<Uint8Array> {
  const query = platform.models.assessments.findOne({ _id: id, organizationId });
  const assessment = await findOr404(query.lean<AssessmentDocument>());
  if (assessment.status !== 'approved')
    throw new AppError(
      'INVALID_OPERATION',
      'Only an approved assessment is printed: approve it first',
    );
  const { approvedBy } = assessment;
  const [organization, approver] = await Promise.all([
    findOrganizationName(platform, organizationId),
    approvedBy && findMailbox(platform, approvedBy),
  ]);
  const document = createAssessmentPdf({
    assessment,
    organization: organization ?? '',
    approver: approver && `${approver.name} <${approver.email}>`,
  });
  return platform.pdf.render(organizationId, document);
}
