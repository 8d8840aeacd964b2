// Normalizes e-mail addresses of earlier versions, which stored domains as they were typed.
import type { Connection } from 'mongoose';
import { toEmailAddress } from '../../../domain/identity/addresses/email-address.ts';

/** The models and their members that hold an address. */
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

/**
 * Idempotent. When two accounts have the same normalized address, the one that has it already keeps it; the other is
 * not changed.
 */
export async function normalizeEmailAddresses(connection: Connection): Promise<void> {
  for (const [name, member] of MEMBERS) {
    const { collection } = connection.model(name);
    const rows = collection.find({ [member]: NOT_IN_FORM }, { projection: { [member]: 1 } });
    for await (const row of rows) {
      const text = member.split('.').reduce<unknown>(readMember, row);
      const address = typeof text === 'string' ? toEmailAddress(text) : null;
      if (address === null || address === text) continue;
      await collection
        .updateOne({ _id: row._id, [member]: text }, { $set: { [member]: address } })
        .catch((error: unknown) => {
          if (!isDuplicate(error)) throw error;
        });
    }
  }
}

const readMember = (value: unknown, name: string): unknown =>
  (value as Readonly<Record<string, unknown>> | null | undefined)?.[name];
