// The directory profile of a member: read from a request, changed by a patch, compared for the audit log.
import type { JsonObject } from '@assay/json';
import { applyPatch, type PatchOperation, ScimPatchError, USER_SCHEMA } from '@assay/scim';
import { compareAsNames } from '../compared-schema.ts';
import { explainIssue, flattenIssue } from '../../../platform/inputs/explain-issue.ts';
import { AppError } from '../../../errors.ts';
import type {
  DirectoryEntry,
  MembershipDocument,
} from '../../organization/memberships/memberships.model.ts';
import { requireEmail } from './accounts.service.ts';
import type { ScimPerson } from './scim-user.ts';
import { userInput, type UserInput } from './users.schemas.ts';

/** The profile as the membership stores it. */
export type DirectoryProfile = Pick<MembershipDocument, 'ssoId'> & { directory: DirectoryEntry };

/** @throws AppError `SCIM_INVALID_VALUE` when there is no address that an account could have */
export function toDirectoryProfile(input: UserInput): DirectoryProfile {
  const { userName, displayName, name, emails, externalId } = input;
  const { formatted = null, givenName = null, familyName = null } = name ?? {};
  const directory = { userName, displayName, formatted, givenName, familyName, emails };
  requireEmail(directory);
  return { ssoId: externalId, directory };
}

/** Returns the members that a client may write, which patch operations change. */
function toWritable({ membership, user }: ScimPerson): JsonObject {
  const { directory, ssoId, isActive } = membership;
  if (!directory) return { userName: user.email, displayName: user.name, active: isActive };
  const { userName, displayName, formatted, givenName, familyName, emails } = directory;
  return {
    userName,
    displayName,
    name: { formatted, givenName, familyName },
    active: isActive,
    externalId: ssoId,
    emails: emails.map(({ value, type, primary }) => ({ value, type, primary })),
  };
}

/** Returns the user after all operations. @throws AppError `SCIM_INVALID_VALUE` */
export function patchUser(person: ScimPerson, operations: readonly PatchOperation[]): UserInput {
  try {
    const patched = applyPatch(toWritable(person), operations, compareAsNames(USER_SCHEMA));
    const parsed = userInput.safeParse(patched, { error: explainIssue });
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues.flatMap(flattenIssue);
    const text = `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`;
    throw new AppError('SCIM_INVALID_VALUE', text);
  } catch (error) {
    if (error instanceof ScimPatchError) throw new AppError('SCIM_INVALID_VALUE', error.message);
    throw error;
  }
}

/** Lists the names of the attributes that differ. */
export function listChangedAttributes(
  before: MembershipDocument,
  { ssoId, directory }: DirectoryProfile,
): string[] {
  const stored: Partial<DirectoryEntry> = before.directory ?? {};
  const hasChanged = ([name, value]: [string, unknown]): boolean =>
    JSON.stringify(value) !== JSON.stringify(stored[name as keyof DirectoryEntry]);
  const changed = Object.entries(directory)
    .filter(hasChanged)
    .map(([name]) => name);
  if (ssoId !== (before.ssoId ?? null)) changed.push('externalId');
  return changed;
}
