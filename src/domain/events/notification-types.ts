// The types of notifications, each of which a user may opt out of.
export const NOTIFICATION_TYPES = [
  'system',
  'security',
  'invite',
  'broadcast',
  'alert',
  'info',
] as const;
export type NotificationType = (typeof NOTIFICATION_TYPES)[number];
