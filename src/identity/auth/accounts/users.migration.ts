// Adds the members that queries rely on to users of earlier versions.
import type { Connection } from 'mongoose';

/** Idempotent: users that have the members are left alone. */
export async function completeUsers(connection: Connection): Promise<void> {
  const secondFactor = {
    lastStep: 0,
    failures: 0,
    failingSince: null,
    secret: null,
    pendingSecret: null,
  };
  const mfa = { ...secondFactor, backupCodes: [], enabled: false };
  const preferences = { theme: 'system', notificationOptOuts: { email: [], inApp: [] } };
  await connection
    .model('User')
    .updateMany(
      { 'mfa.lastStep': { $exists: false } },
      { $set: { mfa, preferences, emailVerifiedAt: null } },
    );
}
