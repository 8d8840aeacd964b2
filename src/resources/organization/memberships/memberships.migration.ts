// Gives memberships of earlier versions what is known of their person, which the account kept until then.
import type { Connection } from 'mongoose';

const ENTERED = { $cond: [{ $gt: ['$directory', null] }, null, '$createdAt'] };

/** Idempotent: whoever was not brought by a directory has been here since the membership was made. */
export async function completeMemberships(connection: Connection): Promise<void> {
  await connection
    .model('Membership')
    .updateMany(
      { enteredAt: { $exists: false } },
      [{ $set: { isPending: false, lastLoginAt: null, lastLoginIp: null, enteredAt: ENTERED } }],
      { updatePipeline: true, timestamps: false },
    )
    .setOptions({ crossTenant: true });
  await connection
    .model('User')
    .updateMany({}, { $unset: { lastLoginAt: '', lastLoginIp: '' } }, { strict: false });
}
