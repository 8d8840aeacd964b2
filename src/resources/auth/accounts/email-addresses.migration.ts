// Rewrites e-mail addresses of earlier versions, which kept domains as they were typed, in the one form that they are compared by.
import type { Connection } from 'mongoose';
import { emailAddressIn } from '../../../domain/identity/addresses/email-address.ts';

/** By the model: the member that holds an address. */
const MEMBERS = [
  ['User', 'email'],
  ['Invitation', 'email'],
  ['Membership', 'directory.userName'],
  ['OneTimeToken', 'email'],
] as const;
const NOT_IN_FORM = /[^\x20-\x7e]|[A-Z]|\.$/;
const DUPLICATE = 11_000;

const isDuplicate = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === DUPLICATE;

/** Idempotent. Where two accounts turn out to be one mailbox, the one that has the form already keeps it, and the other stays as it is. */
export async function normalizeEmailAddresses(connection: Connection): Promise<void> {
  for (const [name, member] of MEMBERS) {
    const { collection } = connection.model(name);
    const rows = collection.find({ [member]: NOT_IN_FORM }, { projection: { [member]: 1 } });
    for await (const row of rows) {
      const text = member.split('.').reduce<unknown>(memberOf, row);
      const address = typeof text === 'string' ? emailAddressIn(text) : null;
      if (address === null || address === text) continue;
      await collection
        .updateOne({ _id: row._id, [member]: text }, { $set: { [member]: address } })
        .catch((error: unknown) => {
          if (!isDuplicate(error)) throw error;
        });
    }
  }
}

const memberOf = (value: unknown, name: string): unknown =>
  (value as Readonly<Record<string, unknown>> | null | undefined)?.[name];
