// Converts a member of an organisation to a SCIM user (document 1, section 2: SCIM User mapping).
import { USER_SCHEMA } from '@assay/scim';
import {
  toComparableName,
  toEmailAddress,
} from '../../../domain/identity/addresses/email-address.ts';
import { composeName, deriveDisplayName } from '../../../domain/names/display-name.ts';
import { isRoleGroup } from '../../../domain/identity/role-groups.ts';
import type { UserDocument } from '../../auth/accounts/users.model.ts';
import type {
  DirectoryEntry,
  MembershipDocument,
} from '../../organization/memberships/memberships.model.ts';

/** A member and the account behind the membership. */
export interface ScimPerson {
  membership: MembershipDocument;
  user: UserDocument;
}

/** The resource of RFC 7643, section 4.1; members without a value are absent. */
export interface ScimUser {
  schemas: string[];
  id: string;
  externalId?: string;
  userName: string;
  displayName: string;
  name?: { formatted?: string; givenName?: string; familyName?: string };
  active: boolean;
  emails: { value: string; type?: string; primary: boolean }[];
  groups: { value: string; $ref: string; display: string; type: string }[];
  meta: { resourceType: string; created: string; lastModified: string; location: string };
}

/** `baseUrl`: the URL of the SCIM interface. */
export function toScimUser(person: ScimPerson, baseUrl: string): ScimUser {
  const { membership, user } = person;
  const { directory, role, ssoId } = membership;
  const id = user._id.toHexString();
  const name = toScimName(directory);
  return {
    schemas: [USER_SCHEMA.id],
    id,
    ...(ssoId != null && { externalId: ssoId }),
    userName: directory?.userName ?? user.email,
    displayName: toScimDisplayName(person),
    ...(name && { name }),
    active: membership.isActive,
    emails: toScimEmails(person),
    groups: isRoleGroup(role)
      ? [{ value: role, $ref: `${baseUrl}/Groups/${role}`, display: role, type: 'direct' }]
      : [],
    meta: {
      resourceType: 'User',
      created: membership.createdAt.toISOString(),
      lastModified: membership.updatedAt.toISOString(),
      location: `${baseUrl}/Users/${id}`,
    },
  };
}

/** Returns the display name; for a provisioned member that of the directory, never the name of the account. */
export const toScimDisplayName = ({ membership, user }: ScimPerson): string =>
  membership.directory ? deriveDisplayName(membership.directory) : user.name;

function toScimName(directory: DirectoryEntry | null): ScimUser['name'] {
  const { formatted = null, givenName = null, familyName = null } = directory ?? {};
  const parts = Object.entries({
    formatted: formatted ?? (composeName(givenName, familyName) || null),
    givenName,
    familyName,
  });
  const given = parts.filter((part): part is [string, string] => part[1] !== null);
  return given.length > 0 ? Object.fromEntries(given) : undefined;
}

function toScimEmails({ membership: { directory }, user }: ScimPerson): ScimUser['emails'] {
  const given = directory?.emails ?? [];
  if (given.length === 0)
    return [{ value: toAccountAddress(directory) ?? user.email, type: 'work', primary: true }];
  const primary = given.findIndex((email) => email.primary);
  const chosen = Math.max(0, primary);
  const userName = directory?.userName;
  return given.map(({ value, type }, index) => ({
    value: toComparableName(value) === userName ? userName : value,
    ...(type !== null && { type }),
    primary: index === chosen,
  }));
}

/**
 * Returns the e-mail address of the account: the user name, else the first of `emails`; null: neither is an address.
 */
export function toAccountAddress(
  entry: Pick<DirectoryEntry, 'userName' | 'emails'> | null,
): string | null {
  if (!entry) return null;
  return toEmailAddress(entry.userName) ?? toEmailAddress(entry.emails[0]?.value ?? '');
}
