// Opens, lists, changes and closes incidents with their clocks (document 3, sections 3 and 4.2).
import type { QueryFilter } from 'mongoose';
import type { z } from 'zod';
import { toLiteralPattern } from '@assay/patterns';
import type { Context, UserContext } from '../../platform/context.ts';
import {
  findNextBreach,
  restartClock,
  settleClocks,
  startClock,
  refreshClocks,
} from '../../domain/incidents/clock.ts';
import { type IncidentStatus, isManagerOnly } from '../../domain/incidents/incident-status.ts';
import { MANAGERS } from '../../domain/identity/roles.ts';
import type { Tenant } from '../../domain/identity/tenant.ts';
import type { Page } from '../../domain/page.ts';
import { AppError } from '../../errors.ts';
import {
  AFTER,
  findOr404,
  insertOne,
  type Listed,
  listPage,
} from '../../platform/mongo/queries.ts';
import type { IncidentDocument, StoredClock } from './incidents.model.ts';
import type {
  closeInput,
  incidentChange,
  incidentInput,
  incidentQuery,
  ClockView,
  IncidentView,
} from './incidents.schemas.ts';
import { toClockViews, toIncidentView } from './incidents.view.ts';

/** An incident after a change, and what it was before. */
export interface ChangedIncident {
  incident: IncidentView;
  before: { status: IncidentStatus; detectedAt: Date };
}

/** Tolerance for a caller's clock that is ahead. */
const AHEAD_MS = 60_000;

export async function listIncidents(
  { platform: { models, clock }, tenant }: Context,
  { status, severity, regulator, search }: z.output<typeof incidentQuery>,
  page: Page,
): Promise<Listed<IncidentView>> {
  const where: QueryFilter<IncidentDocument> = filterVisible(tenant);
  if (status !== undefined) where.status = status;
  if (severity !== undefined) where.severity = severity;
  if (regulator !== undefined) where['clocks.regulator'] = regulator;
  if (search !== undefined) {
    const pattern = toLiteralPattern(search);
    where.$or = [{ title: pattern }, { summary: pattern }];
  }
  const { items, total } = await listPage(models.incidents, where, page);
  const now = clock.now();
  return { items: items.map((incident) => toIncidentView(incident, now)), total };
}

/** @throws AppError `NOT_FOUND` */
export async function getIncident(ctx: Context, id: string): Promise<IncidentView> {
  return toIncidentView(await findIncident(ctx, id), ctx.platform.clock.now());
}

/** @throws AppError `NOT_FOUND` */
export async function listClocks(ctx: Context, id: string): Promise<ClockView[]> {
  return toClockViews(await findIncident(ctx, id), ctx.platform.clock.now());
}

/** @throws AppError `VALIDATION_ERROR` when it was detected in the future */
export async function openIncident(
  { platform, tenant, user }: UserContext,
  { regulators, detectedAt, ...fields }: z.output<typeof incidentInput>,
): Promise<IncidentView> {
  const { organizationId, workspaceId, defaultWorkspaceId } = tenant;
  const now = platform.clock.now();
  const startedAt = detectedAt ?? now;
  requirePast(startedAt, now);
  const started = beginClocks(regulators, startedAt, now);
  const row = {
    ...fields,
    ...started,
    organizationId,
    workspaceId: workspaceId ?? defaultWorkspaceId,
    createdBy: user.userId,
    createdByEmail: user.email,
    detectedAt: startedAt,
    createdAt: now,
  };
  return toIncidentView(await insertOne(platform.models.incidents, row), now);
}

/**
 * @throws AppError `NOT_FOUND`, `FORBIDDEN` for a role that may not close, `VALIDATION_ERROR` when it was
 * detected in the future
 */
export async function updateIncident(
  ctx: UserContext,
  id: string,
  change: z.output<typeof incidentChange>,
): Promise<ChangedIncident> {
  const found = await findIncident(ctx, id);
  const now = ctx.platform.clock.now();
  const { status = found.status, detectedAt = found.detectedAt } = change;
  if (isManagerOnly(found.status, status) && !MANAGERS.includes(ctx.user.role))
    throw new AppError('FORBIDDEN');
  requirePast(detectedAt, now);
  const clocks = moveDeadlines(found, detectedAt, now);
  const changed = await writeChange(ctx, found, {
    ...change,
    clocks,
    breachAt: findNextBreach(clocks),
    closedAt: status === 'closed' ? (found.closedAt ?? now) : null,
  });
  return { incident: toIncidentView(changed, now), before: found };
}

/** @throws AppError `NOT_FOUND`, `INVALID_OPERATION` when it is closed already */
export async function closeIncident(
  ctx: Context,
  id: string,
  narrative: z.output<typeof closeInput>,
): Promise<ChangedIncident> {
  const found = await findIncident(ctx, id);
  if (found.status === 'closed')
    throw new AppError('INVALID_OPERATION', 'The incident is closed already');
  const now = ctx.platform.clock.now();
  const closed = await writeChange(ctx, found, { ...narrative, status: 'closed', closedAt: now });
  return { incident: toIncidentView(closed, now), before: found };
}

function findIncident({ platform, tenant }: Context, _id: string): Promise<IncidentDocument> {
  const query = platform.models.incidents.findOne({ ...filterVisible(tenant), _id });
  return findOr404(query.lean<IncidentDocument>());
}

/** Writes in the transaction of the request: of two concurrent changes one is run again. */
function writeChange(
  { platform }: Context,
  { _id, organizationId }: IncidentDocument,
  $set: Partial<IncidentDocument>,
): Promise<IncidentDocument> {
  const where = { _id, organizationId };
  const query = platform.models.incidents.findOneAndUpdate(where, { $set }, AFTER);
  return findOr404(query.lean<IncidentDocument>());
}

/** @throws AppError `VALIDATION_ERROR` */
function requirePast(detectedAt: Date, now: Date): void {
  if (detectedAt.getTime() > now.getTime() + AHEAD_MS)
    throw new AppError('VALIDATION_ERROR', 'detectedAt: must not be in the future');
}

type RegulatorInputs = z.output<typeof incidentInput>['regulators'];

/** Creates one clock and one submission for each regulator, from its first mention. */
function beginClocks(inputs: RegulatorInputs, startedAt: Date, now: Date) {
  const firsts = inputs.filter(
    ({ code }, at) => inputs.findIndex((one) => one.code === code) === at,
  );
  const clocks = firsts.map(({ code, applicabilityReason }) =>
    startClock(code, startedAt, applicabilityReason),
  );
  const started = refreshClocks(clocks, now);
  return {
    regulators: firsts.map(({ code, name, contactEmail, submissionRef }) => {
      return { code, name, contactEmail, submissionRef, submittedAt: null };
    }),
    // The database assigns their ids.
    clocks: started as StoredClock[],
    breachAt: findNextBreach(started),
  };
}

/** Moves the open deadlines when the detection time changes; breached clocks stay breached. */
function moveDeadlines(
  { clocks, detectedAt }: IncidentDocument,
  to: Date,
  now: Date,
): StoredClock[] {
  if (detectedAt.getTime() === to.getTime()) return refreshClocks(clocks, now);
  return refreshClocks(
    settleClocks(clocks, now).map((clock) => restartClock(clock, to)),
    now,
  );
}

function filterVisible({ organizationId, workspaceId }: Tenant) {
  return { organizationId, ...(workspaceId !== null && { workspaceId }) };
}
