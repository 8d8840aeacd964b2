// Prints approved impact assessments (document 3, section 4.1: an addition).
import type { Platform } from '../../platform/platform.ts';
import type { Tenant } from '../../domain/identity/tenant.ts';
import { AppError } from '../../errors.ts';
import { findOr404 } from '../../platform/mongo/queries.ts';
import { createAssessmentPdf } from './assessment-document.ts';
import type { AssessmentDocument } from './fria.model.ts';

interface NamedAccount {
  name: string;
  email?: string;
}

export function createFriaPrintService({ models, pdf }: Pick<Platform, 'models' | 'pdf'>) {
  return {
    /** @throws AppError `NOT_FOUND`, `INVALID_OPERATION` unless approved, and what rendering throws */
    async print({ organizationId }: Tenant, id: string): Promise<Uint8Array> {
      const assessment = await findOr404(
        models.assessments.findOne({ _id: id, organizationId }).lean<AssessmentDocument>(),
      );
      if (assessment.status !== 'approved')
        throw new AppError('INVALID_OPERATION', 'Only an approved assessment is printed');
      const [organization, approver] = await Promise.all([
        models.organizations.findById(organizationId, 'name').lean<NamedAccount>(),
        models.users.findById(assessment.approvedBy, 'name email').lean<NamedAccount>(),
      ]);
      const document = createAssessmentPdf({
        assessment,
        organization: organization?.name ?? '',
        approver: approver && `${approver.name} <${approver.email ?? ''}>`,
      });
      return pdf.render(organizationId, document);
    },
  };
}
export type FriaPrintService = ReturnType<typeof createFriaPrintService>;
