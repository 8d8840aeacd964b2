// The display name of an account that is created from a provider's identity.
import { truncate } from '@assay/json';

const MAX_NAME = 200;

/** Returns the name that the provider gives, else the local part of the address. */
export function toDisplayName({ name, email }: { name: string | null; email: string }): string {
  return truncate(name?.trim() || email.slice(0, email.lastIndexOf('@')), MAX_NAME);
}
