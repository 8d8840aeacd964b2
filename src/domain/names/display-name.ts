// The display name of a user from a directory (document 1, section 2: SCIM User mapping).

interface NameParts {
  userName: string;
  displayName: string | null;
  givenName: string | null;
  familyName: string | null;
}

/** The display name; by default the given and family name, then the local part of the user name. */
export function deriveDisplayName({
  userName,
  displayName,
  givenName,
  familyName,
}: NameParts): string {
  return (
    displayName ?? (composeName(givenName, familyName) || (userName.split('@', 1)[0] ?? userName))
  );
}

export const composeName = (givenName: string | null, familyName: string | null): string =>
  [givenName, familyName].filter((part) => part !== null).join(' ');
