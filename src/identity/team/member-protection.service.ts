// Counts how the present members of an organisation sign in, and how many may change everything.
import { MANAGERS } from '../../domain/identity/roles.ts';
import type { Platform } from '../../platform/platform.ts';
import { countSecondFactors } from '../auth/accounts/account-reader.service.ts';
import {
  listNamedMembers,
  listPresentMembers,
} from '../organization/memberships/present-members.service.ts';

/** Members that are looked at, the longest-standing first. */
const MEMBERS_MAX = 2_000;

/** `secured`: those with a second factor, and those that sign on by the organisation's provider. */
export async function measureMembers(
  platform: Platform,
  organizationId: string,
): Promise<{ all: number; managers: number; secured: number }> {
  const limit = MEMBERS_MAX;
  const members = await listNamedMembers(platform, organizationId, { limit });
  const managers = await listPresentMembers(platform, organizationId, { roles: MANAGERS, limit });
  const others = members.filter(({ signsOn }) => !signsOn).map(({ userId }) => userId);
  const secured = members.length - others.length + (await countSecondFactors(platform, others));
  return { all: members.length, managers: managers.length, secured };
}
