// Notifies managers and the reporter of an incident that a report is due soon, or late.
import { scrubStrictly } from '@assay/scrub';
import { formatTime } from '../../domain/events/decision-card.ts';
import type { NoticeEvent } from '../../domain/events/notices.ts';
import { MANAGERS } from '../../domain/identity/roles.ts';
import { toQuotedName } from '../../domain/names/quoted-name.ts';
import type { NoticeService } from '../../events/notifications/notices/notices.service.ts';
import type { IncidentDocument } from './incidents.model.ts';

/** A deadline of a regulator that is near or has passed. */
interface Deadline {
  event: Extract<NoticeEvent, 'incident.due' | 'incident.breached'>;
  regulator: string;
  deadline: Date | null;
  at: Date;
}

const TITLES = { 'incident.due': 'Report due soon', 'incident.breached': 'Report late' } as const;

export async function notifyOfDeadline(
  notices: NoticeService,
  { _id, organizationId: organization, title, createdBy }: IncidentDocument,
  { event, regulator, deadline, at }: Deadline,
): Promise<void> {
  const organizationId = organization.toHexString();
  const reporter = createdBy.toHexString();
  const notice = {
    title: `${TITLES[event]} (${regulator.toUpperCase()}): ${toQuotedName(scrubStrictly(title))}`,
    body: deadline ? `The deadline: ${formatTime(deadline)}.` : '',
    link: `/console/incidents/${_id.toHexString()}`,
  };
  const batch = { organizationId, event, at, notices: [notice] };
  await notices.notify({ ...batch, audience: { roles: MANAGERS, except: [reporter] } });
  await notices.notify({ ...batch, audience: { userIds: [reporter] } });
}
