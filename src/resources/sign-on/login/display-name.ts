// What somebody is called who comes from a provider for the first time.

const MAX_NAME = 200;

/** The name that the provider gives; without one, the part of the address before the at-sign. */
export function displayNameOf({ name, email }: { name: string | null; email: string }): string {
  return (name?.trim() || email.slice(0, email.lastIndexOf('@'))).slice(0, MAX_NAME);
}
