// The timed job that marks clocks as breached whose deadline has passed (document 3, section 3).
import type { Platform } from '../../platform/platform.ts';
import { findNextBreach, settleClocks } from '../../domain/incidents/clock.ts';
import { createSystemAuditEvent } from '../../domain/record/audit-event.ts';
import { type AuditRow, recordAudit, sealAuditRow } from '../../identity/audit/audit.service.ts';
import { notifyOfDeadline } from './clock-notices.ts';
import type { IncidentDocument, StoredClock } from './incidents.model.ts';

type OverdueIncident = Pick<IncidentDocument, '_id' | 'organizationId'>;

/** Maximum number of incidents per run; the rest waits for the next. */
const BATCH = 500;

/** Marks all overdue incidents; one that fails does not hold up the others. */
export async function markOverdue(platform: Platform): Promise<void> {
  const { models, clock, transaction, logger } = platform;
  const overdue = await models.incidents
    .find({ breachAt: { $lt: clock.now() } }, '_id organizationId', {
      crossTenant: true,
      sort: { breachAt: 1 },
      limit: BATCH,
    })
    .lean<OverdueIncident[]>();
  for (const incident of overdue)
    try {
      const rows = await transaction(() => markBreached(platform, incident));
      for (const row of rows) await sealAuditRow(platform, row);
    } catch (error) {
      logger.error({ err: error, incident: incident._id }, 'a clock cannot be marked breached');
    }
}

/** Runs in one transaction, so that no concurrent completion is overwritten, and no breach is recorded twice. */
async function markBreached(
  platform: Platform,
  { _id, organizationId }: OverdueIncident,
): Promise<AuditRow[]> {
  const { models, clock } = platform;
  const incident = await models.incidents.findOne({ _id, organizationId }).lean<IncidentDocument>();
  if (!incident) return [];
  const clocks = settleClocks(incident.clocks, clock.now());
  const breached = clocks.filter(
    ({ status }, at) => status === 'breached' && incident.clocks[at]?.status !== 'breached',
  );
  const $set = { clocks, breachAt: findNextBreach(clocks) };
  await models.incidents.updateOne({ _id, organizationId }, { $set });
  const rows: AuditRow[] = [];
  const at = clock.now();
  for (const found of breached) {
    rows.push(await recordBreach(platform, incident, found));
    const { regulator } = found;
    const deadline = findMissed(found);
    await notifyOfDeadline(platform, incident, {
      event: 'incident.breached',
      regulator,
      deadline,
      at,
    });
  }
  return rows;
}

function recordBreach(
  platform: Platform,
  incident: OverdueIncident,
  breached: StoredClock,
): Promise<AuditRow> {
  const { regulator, ruleVersion } = breached;
  const missedAt = findMissed(breached);
  return recordAudit(
    platform,
    createSystemAuditEvent({
      organizationId: incident.organizationId.toHexString(),
      action: 'incident.clock_breached',
      resource: 'incident',
      resourceId: incident._id.toHexString(),
      metadata: {
        actor: 'cron:incident-clocks',
        regulator,
        ruleVersion,
        deadlineAt: missedAt?.toISOString() ?? null,
      },
    }),
  );
}

/** The deadline that a breached clock has missed. */
const findMissed = (breached: StoredClock): Date | null =>
  findNextBreach([{ ...breached, status: 'active' }]);
