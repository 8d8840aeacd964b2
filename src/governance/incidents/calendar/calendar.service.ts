// Renders the deadlines of all open reports as a calendar (document 3, section 4.2: an addition).
import type { Context } from '../../../platform/context.ts';
import { type CalendarEvent, formatCalendar } from '../../../domain/incidents/calendar.ts';
import { toCheckpointId } from '../../../domain/incidents/clock.ts';
import { READ_MAX_MS } from '../../../platform/mongo/queries.ts';
import type { IncidentDocument } from '../incidents.model.ts';
import { yieldToEventLoop } from '../../../platform/concurrency/event-loop.ts';

/** Limits: the newest incidents with an open report, and of their reports those due first. */
export const CALENDAR_INCIDENTS = 500;
export const CALENDAR_EVENTS = 2000;
const FIELDS = 'title externalRef severity status clocks updatedAt';

export async function renderCalendar({ platform, tenant }: Context): Promise<string> {
  const { organizationId, workspaceId } = tenant;
  const where = { organizationId, ...(workspaceId !== null && { workspaceId }) };
  const found = await platform.models.incidents
    .find({ ...where, 'clocks.checkpoints.completedAt': null }, FIELDS)
    .sort({ createdAt: -1, _id: -1 })
    .limit(CALENDAR_INCIDENTS)
    .maxTimeMS(READ_MAX_MS)
    .lean<IncidentDocument[]>();
  const events = found.flatMap(listOpenReports).sort((a, b) => a.at.getTime() - b.at.getTime());
  return formatCalendar(events.slice(0, CALENDAR_EVENTS), yieldToEventLoop);
}

function listOpenReports(incident: IncidentDocument): CalendarEvent[] {
  const { _id, title, externalRef, severity, status, clocks, updatedAt } = incident;
  return clocks.flatMap(({ regulator, articleRef, checkpoints }, clock) =>
    checkpoints.flatMap(({ label, deadlineAt, completedAt }, index) => {
      if (completedAt !== null) return [];
      const facts = [
        `Incident ${_id.toHexString()} (${severity}, ${status})`,
        `${regulator.toUpperCase()} ${articleRef}: ${label} report`,
        ...(externalRef === null ? [] : [externalRef]),
      ];
      return {
        uid: `${_id.toHexString()}-${toCheckpointId(clocks, clock, index)}@assay`,
        at: deadlineAt,
        changedAt: updatedAt,
        summary: `${regulator.toUpperCase()} ${label} report due: ${title}`,
        description: facts.join('\n'),
      };
    }),
  );
}
