// The schedule of an organisation's reports: each is rendered once, kept, and mailed to the members that it names.
import type { z } from 'zod';
import { computeNextReport } from '../../../domain/compliance/report-period.ts';
import { listFeaturePlans } from '../../../domain/identity/plans.ts';
import { READERS } from '../../../domain/identity/roles.ts';
import { AppError } from '../../../errors.ts';
import { listPresentMembers } from '../../../identity/organization/memberships/present-members.service.ts';
import { findOrganizationPlan } from '../../../identity/organization/organization-facts.service.ts';
import type { Context } from '../../../platform/context.ts';
import { AFTER, findOr404 } from '../../../platform/mongo/queries.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { ReportScheduleDocument } from './reports.model.ts';
import type { ReportScheduleView, scheduleInput } from './reports.schemas.ts';
import { keepReport, renderReport } from './reports.service.ts';

/** The kind of mail that a report is sent by. */
export const REPORT_MAIL = 'complianceReport';
/** Reports of one run; the rest waits for the next. */
const BATCH = 20;
const RETRY_MS = 15 * 60_000;
const NONE: ReportScheduleView = {
  framework: null,
  every: 'never',
  recipients: [],
  nextAt: null,
  lastAt: null,
};

export async function readSchedule({
  platform,
  tenant: { organizationId },
}: Context): Promise<ReportScheduleView> {
  const query = platform.models.reportSchedules.findOne({ organizationId });
  return (await query.lean<ReportScheduleDocument>()) ?? NONE;
}

/** @throws AppError `VALIDATION_ERROR` for recipients that are no members who may read it */
export async function setSchedule(
  ctx: Context,
  { every, framework, recipients }: z.output<typeof scheduleInput>,
): Promise<ReportScheduleView> {
  const { platform, tenant } = ctx;
  const { organizationId } = tenant;
  const { models, clock } = platform;
  if (every === 'never') {
    await models.reportSchedules.deleteOne({ organizationId });
    return NONE;
  }
  const choice = { roles: READERS, userIds: recipients };
  const found = await listPresentMembers(platform, organizationId, choice);
  if (found.length === 0 || found.length < new Set(recipients).size)
    throw new AppError(
      'VALIDATION_ERROR',
      'recipients: ids of members that may read the report, at least one',
    );
  const $set = {
    every,
    framework,
    recipients: found,
    nextAt: computeNextReport(every, clock.now()),
  };
  return findOr404(
    models.reportSchedules
      .findOneAndUpdate({ organizationId }, { $set }, { ...AFTER, upsert: true })
      .lean<ReportScheduleDocument>(),
  );
}

/** One report that fails holds up no other; it is tried again later. */
export async function sendDueReports(platform: Platform): Promise<void> {
  const due = await platform.models.reportSchedules
    .find({ nextAt: { $lte: platform.clock.now() } }, null, {
      crossTenant: true,
      sort: { nextAt: 1 },
      limit: BATCH,
    })
    .lean<ReportScheduleDocument[]>();
  for (const schedule of due)
    try {
      await sendReport(platform, schedule);
    } catch (error) {
      const { organizationId } = schedule;
      platform.logger.error({ err: error, organizationId }, 'a report cannot be sent');
      await postpone(platform, schedule);
    }
}

async function sendReport(platform: Platform, schedule: ReportScheduleDocument): Promise<void> {
  const organizationId = schedule.organizationId.toHexString();
  const plan = await findOrganizationPlan(platform, organizationId);
  const isPaid = plan !== null && listFeaturePlans('complianceMapping').includes(plan);
  const actor = { kind: 'system', id: null } as const;
  const nowhere = { workspaceId: null, defaultWorkspaceId: '', agentIds: null };
  const ctx = { platform, tenant: { ...nowhere, organizationId, plan: plan ?? 'sandbox', actor } };
  const rendered = isPaid ? await renderReport(ctx, schedule.framework) : null;
  await platform.transaction(async () => {
    if (!(await takeTurn(platform, schedule)) || !rendered) return;
    const { id } = await keepReport(ctx, rendered, null);
    const about = { kind: REPORT_MAIL, reportId: String(id) };
    const mails = schedule.recipients.map((userId) => ({ ...about, userId: userId.toHexString() }));
    await platform.queueMail(organizationId, ...mails);
  });
}

/** What fails makes room for what waits behind it. */
async function postpone(
  { models, clock }: Platform,
  { _id, organizationId, nextAt }: ReportScheduleDocument,
): Promise<void> {
  const later = new Date(clock.now().getTime() + RETRY_MS);
  await models.reportSchedules.updateOne({ _id, organizationId, nextAt }, { nextAt: later });
}

/** False: another instance has sent it, or the schedule was changed since. */
async function takeTurn(
  { models, clock }: Platform,
  { _id, organizationId, every, nextAt }: ReportScheduleDocument,
): Promise<boolean> {
  const now = clock.now();
  const { modifiedCount } = await models.reportSchedules.updateOne(
    { _id, organizationId, nextAt },
    { $set: { nextAt: computeNextReport(every, now), lastAt: now } },
    { timestamps: false },
  );
  return modifiedCount === 1;
}
