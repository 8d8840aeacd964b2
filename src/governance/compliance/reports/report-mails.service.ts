// The mail of a report, composed when it is sent: to members who may read it by then.
import type { Types } from 'mongoose';
import type { Platform } from '../../../platform/platform.ts';
import { READERS } from '../../../domain/identity/roles.ts';
import { toQuotedName } from '../../../domain/names/quoted-name.ts';
import { findUserAddress } from '../../../identity/auth/accounts/account-reader.service.ts';
import { findPresentMember } from '../../../identity/organization/memberships/present-members.service.ts';
import { findOrganizationName } from '../../../identity/organization/organization-facts.service.ts';
import type { MailContent } from '../../../platform/mail/mail-layout.ts';
import type { OutboxDocument } from '../../../platform/outbox/outbox.model.ts';
import type { ComplianceReportDocument } from './reports.model.ts';
import { formatSummary } from './report-document.ts';
import { loadReportPdf } from './reports.service.ts';

/** Null: the member has left or lost the role, or the report is gone. */
export async function composeReportMail(
  platform: Platform,
  { organizationId, payload }: OutboxDocument,
): Promise<MailContent | null> {
  const { reportId, userId } = payload as { reportId: string; userId: string };
  const email = await findReader(platform, organizationId, userId);
  const name = await findOrganizationName(platform, organizationId);
  const report = await platform.models.complianceReports
    .findOne({ organizationId, _id: reportId }, '-pdf')
    .lean<Omit<ComplianceReportDocument, 'pdf'>>();
  if (email === null || name === null || !report) return null;
  const { framework, createdAt } = report;
  const day = createdAt.toISOString().slice(0, 10);
  return {
    to: email,
    subject: `Compliance report of ${toQuotedName(name)}, ${day}`,
    paragraphs: [
      `The report on ${framework} is attached.`,
      `Measured: ${formatSummary(report)}.`,
      'An owner or admin can change who gets it, and how often.',
    ],
    action: linkPage(platform, framework),
    attachment: {
      filename: `compliance-${framework}-${day}.pdf`,
      contentType: 'application/pdf',
      content: await loadReportPdf(platform, organizationId, reportId),
    },
  };
}

/** The address of a member who may read reports. */
async function findReader(
  platform: Platform,
  organizationId: Types.ObjectId,
  userId: string,
): Promise<string | null> {
  const member = await findPresentMember(platform, organizationId, userId);
  return member && READERS.includes(member.role) ? findUserAddress(platform, userId) : null;
}

const linkPage = ({ publicUrl }: Platform, framework: string): MailContent['action'] => ({
  label: 'Open compliance',
  link: `${publicUrl}/console/compliance?framework=${framework}`,
  token: null,
});
