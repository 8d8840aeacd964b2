// Prints approved impact assessments (document 3, section 4.1: an addition).
import type { Platform } from '../../platform/platform.ts';
import type { Tenant } from '../../domain/identity/tenant.ts';
import { AppError } from '../../errors.ts';
import { findOr404 } from '../../platform/mongo/queries.ts';
import type { AccountReader } from '../../identity/auth/accounts/account-reader.service.ts';
import type { OrganizationFacts } from '../../identity/organization/organization-facts.service.ts';
import { createAssessmentPdf } from './assessment-document.ts';
import type { AssessmentDocument } from './fria.model.ts';

interface Deps {
  accountReader: AccountReader;
  organizationFacts: OrganizationFacts;
}

export function createFriaPrintService(
  { models, pdf }: Pick<Platform, 'models' | 'pdf'>,
  { accountReader, organizationFacts }: Deps,
) {
  return {
    /** @throws AppError `NOT_FOUND`, `INVALID_OPERATION` unless approved, and what rendering throws */
    async print({ organizationId }: Tenant, id: string): Promise<Uint8Array> {
      const assessment = await findOr404(
        models.assessments.findOne({ _id: id, organizationId }).lean<AssessmentDocument>(),
      );
      if (assessment.status !== 'approved')
        throw new AppError(
          'INVALID_OPERATION',
          'Only an approved assessment is printed: approve it first',
        );
      const [organization, approver] = await Promise.all([
        organizationFacts.findName(organizationId),
        assessment.approvedBy && accountReader.findMailbox(assessment.approvedBy),
      ]);
      const document = createAssessmentPdf({
        assessment,
        organization: organization ?? '',
        approver: approver && `${approver.name} <${approver.email}>`,
      });
      return pdf.render(organizationId, document);
    },
  };
}
export type FriaPrintService = ReturnType<typeof createFriaPrintService>;
