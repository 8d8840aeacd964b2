// Renders, keeps and shows reports of compliance.
import type { mongo, Types } from 'mongoose';
import type { Framework } from '../../../domain/compliance/frameworks.ts';
import type { Page } from '../../../domain/page.ts';
import { findOrganizationName } from '../../../identity/organization/organization-facts.service.ts';
import type { Context } from '../../../platform/context.ts';
import type { Platform } from '../../../platform/platform.ts';
import { findOr404, insertOne, type Listed, listPage } from '../../../platform/mongo/queries.ts';
import { loadMapping } from '../compliance.service.ts';
import { loadProofs } from '../proofs/proofs.service.ts';
import { createReportPdf } from './report-document.ts';
import type { ComplianceReportDocument } from './reports.model.ts';
import type { ComplianceReportView } from './reports.schemas.ts';

/** Reports that an organisation keeps; older ones go. */
const KEPT = 60;

/** A report before it is kept. */
export type RenderedReport = Pick<
  ComplianceReportDocument,
  'framework' | 'shown' | 'notShown' | 'cannotTell' | 'pdf'
>;

/** @throws AppError what rendering throws */
export async function renderReport(ctx: Context, framework: Framework): Promise<RenderedReport> {
  const { platform, tenant } = ctx;
  const { organizationId } = tenant;
  const proofs = await loadProofs(ctx, framework);
  const mapping = await loadMapping(ctx, framework);
  const organization = (await findOrganizationName(platform, organizationId)) ?? '';
  const document = createReportPdf({ organization, proofs, mapping });
  const pdf = Buffer.from(await platform.pdf.render(organizationId, document));
  return { framework, ...proofs.summary, pdf };
}

/** Call it in a transaction. */
export async function keepReport(
  { platform: { models, clock }, tenant: { organizationId } }: Context,
  rendered: RenderedReport,
  createdBy: string | null,
): Promise<ComplianceReportView> {
  const row = { ...rendered, organizationId, createdBy, createdAt: clock.now() };
  const made = await insertOne(models.complianceReports, row);
  const [oldest] = await models.complianceReports
    .find({ organizationId }, 'createdAt')
    .sort({ createdAt: -1, _id: -1 })
    .skip(KEPT)
    .limit(1)
    .lean<Pick<ComplianceReportDocument, 'createdAt'>[]>();
  if (oldest)
    await models.complianceReports.deleteMany({
      organizationId,
      createdAt: { $lte: oldest.createdAt },
    });
  return toView(made);
}

export async function listReports(
  { platform, tenant: { organizationId } }: Context,
  page: Page,
): Promise<Listed<ComplianceReportView>> {
  const { items, total } = await listPage(
    platform.models.complianceReports,
    { organizationId },
    { ...page, fields: '-pdf' },
  );
  return { items: items.map(toView), total };
}

/** @throws AppError `NOT_FOUND` */
export async function loadReportPdf(
  { models }: Platform,
  organizationId: Types.ObjectId | string,
  _id: string,
): Promise<Buffer> {
  const query = models.complianceReports.findOne({ _id, organizationId }, 'pdf');
  const { pdf } = await findOr404(query.lean<{ pdf: mongo.Binary }>());
  return Buffer.from(pdf.value());
}

const toView = (report: ComplianceReportDocument): ComplianceReportView => ({
  ...report,
  id: report._id,
});
