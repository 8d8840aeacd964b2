// Notifies managers and the reporter of an incident that a report is due soon, or late.
import { MANAGERS } from '../../domain/identity/roles.ts';
import type { IncidentDocument } from './incidents.model.ts';
import type { Platform } from '../../platform/platform.ts';
import { notify } from '../../events/notifications/notices/notices.service.ts';

/** A deadline of a regulator that is near or has passed. */
interface Deadline {
  event: 'incident.due' | 'incident.breached';
  regulator: string;
  deadline: Date | null;
  at: Date;
}

export async function notifyOfDeadline(
  platform: Platform,
  { _id, organizationId: organization, title, createdBy }: IncidentDocument,
  { event, regulator, deadline, at }: Deadline,
): Promise<void> {
  const organizationId = organization.toHexString();
  const reporter = createdBy.toHexString();
  const about = [{ incidentId: _id.toHexString(), title, regulator, deadline }];
  const announcement = { organizationId, event, at, about };
  await notify(platform, { ...announcement, audience: { roles: MANAGERS, except: [reporter] } });
  await notify(platform, { ...announcement, audience: { userIds: [reporter] } });
}
