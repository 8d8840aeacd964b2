// Completes memberships of earlier versions with the data of the last sign-in, which the account used to hold.
import type { Connection } from 'mongoose';

const ENTERED = { $cond: [{ $gt: ['$directory', null] }, null, '$createdAt'] };

/** Idempotent. A member who was not provisioned by a directory entered when the membership was created. */
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
