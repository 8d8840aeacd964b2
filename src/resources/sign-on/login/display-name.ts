// The display name of an account that a provider's identity opens for the first time.
import { truncate } from '../../../domain/names/truncate.ts';

const MAX_NAME = 200;

/** The name that the provider gives; without one, the local part of the address. */
export function displayNameOf({ name, email }: { name: string | null; email: string }): string {
  return truncate(name?.trim() || email.slice(0, email.lastIndexOf('@')), MAX_NAME);
}
