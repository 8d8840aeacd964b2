// What a person may be notified of, by the names that the service uses.
export const NOTICES = [
  { name: 'review.held', label: 'A decision is held' },
  { name: 'review.assigned', label: 'A decision is assigned to me' },
  { name: 'review.escalated', label: 'A decision is escalated to me' },
  { name: 'review.due', label: 'A review is due soon' },
  { name: 'review.overdue', label: 'A review is overdue' },
  { name: 'approval.waiting', label: 'A change of a policy waits for approval' },
  { name: 'approval.decided', label: 'A change of mine moved on' },
  { name: 'incident.due', label: 'A report of an incident is due soon' },
  { name: 'incident.breached', label: 'A report of an incident is late' },
  { name: 'system', label: 'News of the service, such as the plan' },
  { name: 'broadcast', label: 'Messages of owners and admins' },
] as const;
