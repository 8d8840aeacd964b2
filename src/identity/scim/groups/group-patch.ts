// Applies a patch to the members of a SCIM group: adds and removes, but never replaces them (document 1, section 4.5).
import type { JsonObject } from '../../../domain/record/json.ts';
import { applyPatch, type PatchOperation, ScimPatchError } from '../../../domain/scim/patch.ts';
import { GROUP_SCHEMA } from '../../../domain/scim/schema.ts';
import { AppError } from '../../../errors.ts';
import type { GroupMember } from '../users/people.service.ts';

/** Returns the ids of the members, lower-cased. @throws AppError `SCIM_INVALID_VALUE` */
export function applyMemberPatch(
  members: readonly GroupMember[],
  operations: readonly PatchOperation[],
): Set<string> {
  try {
    let group: JsonObject = { members: members.map((member) => ({ ...member })) };
    for (const operation of operations) {
      const next = applyPatch(group, [operation], GROUP_SCHEMA);
      if (operation.op === 'replace' && next.members !== group.members)
        throw new ScimPatchError('members can be added and removed, not replaced');
      group = next;
    }
    const ids = (group.members as JsonObject[]).map(({ value }) => value);
    if (!ids.every((id) => typeof id === 'string'))
      throw new ScimPatchError('every member needs a value');
    return new Set(ids.map((id) => id.toLowerCase()));
  } catch (error) {
    if (error instanceof ScimPatchError) throw new AppError('SCIM_INVALID_VALUE', error.message);
    throw error;
  }
}
