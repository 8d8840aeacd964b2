// The timed job that marks clocks as breached whose deadline has passed (document 3, section 3).
import type { Types } from 'mongoose';
import type { Platform } from '../../platform/platform.ts';
import { findNextBreach, settleClocks } from '../../domain/incidents/clock.ts';
import { createSystemAuditEvent } from '../../domain/record/audit-event.ts';
import type { AuditRow, AuditService } from '../../identity/audit/audit.service.ts';
import type { NoticeService } from '../../events/notifications/notices/notices.service.ts';
import { notifyOfDeadline } from './clock-notices.ts';
import type { IncidentDocument, StoredClock } from './incidents.model.ts';

interface Deps {
  audit: AuditService;
  notices: NoticeService;
}
type OverdueIncident = Pick<IncidentDocument, '_id' | 'organizationId'>;

/** Maximum number of incidents per run; the rest waits for the next. */
const BATCH = 500;

export function createClockBreachService(
  platform: Pick<Platform, 'models' | 'clock' | 'transaction' | 'logger'>,
  deps: Deps,
) {
  const { models, clock, transaction, logger } = platform;
  const { audit, notices } = deps;

  function record(incident: OverdueIncident, breached: StoredClock): Promise<AuditRow> {
    const { regulator, ruleVersion } = breached;
    const missedAt = findMissed(breached);
    return audit.record(
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

  /** Runs in one transaction, so that no concurrent completion is overwritten, and no breach is recorded twice. */
  async function markBreached({ _id, organizationId }: OverdueIncident): Promise<AuditRow[]> {
    const incident = await models.incidents
      .findOne({ _id, organizationId })
      .lean<IncidentDocument>();
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
      rows.push(await record(incident, found));
      const { regulator } = found;
      const deadline = findMissed(found);
      await notifyOfDeadline(notices, incident, {
        event: 'incident.breached',
        regulator,
        deadline,
        at,
      });
    }
    return rows;
  }

  return {
    /** Marks all overdue incidents; one that fails does not hold up the others. */
    async markOverdue(): Promise<void> {
      const overdue = await models.incidents
        .find({ breachAt: { $lt: clock.now() } }, '_id organizationId', {
          crossTenant: true,
          sort: { breachAt: 1 },
          limit: BATCH,
        })
        .lean<{ _id: Types.ObjectId; organizationId: Types.ObjectId }[]>();
      for (const incident of overdue)
        try {
          const rows = await transaction(() => markBreached(incident));
          for (const row of rows) await audit.sealRow(row);
        } catch (error) {
          logger.error({ err: error, incident: incident._id }, 'a clock cannot be marked breached');
        }
    },
  };
}
export type ClockBreachService = ReturnType<typeof createClockBreachService>;

/** The deadline that a breached clock has missed. */
const findMissed = (breached: StoredClock): Date | null =>
  findNextBreach([{ ...breached, status: 'active' }]);
