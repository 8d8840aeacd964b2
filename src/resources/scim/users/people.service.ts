// The members of an organisation as SCIM users: found, listed, filtered (document 1, section 2: SCIM User mapping).
import type { Platform } from '../../../composition/platform.ts';
import type { Tenant } from '../../../domain/identity/tenant.ts';
import type { Filter } from '../../../domain/scim/filter.ts';
import { isRoleGroup, type RoleGroup } from '../../../domain/scim/role-groups.ts';
import { USER_SCHEMA } from '../../../domain/scim/schema.ts';
import { AppError } from '../../../errors.ts';
import type { UserDocument } from '../../auth/accounts/users.model.ts';
import type {
  DirectoryEntry,
  MembershipDocument,
} from '../../organization/memberships/memberships.model.ts';

type Deps = Pick<Platform, 'models'> & {
  /** Address of the SCIM interface, without a slash at its end. */
  baseUrl: string;
};

/** A member and the account behind the membership. */
export interface ScimPerson {
  membership: MembershipDocument;
  user: UserDocument;
}

/** The resource of RFC 7643, section 4.1, as far as there is something to say. */
export interface ScimUserView {
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

export interface PageWindow {
  skip: number;
  limit: number;
}

const BATCH = 500;
const ID = /^[0-9a-f]{24}$/;
const NEWEST_FIRST = { createdAt: -1, _id: -1 } as const;

export function createPeopleService({ models, baseUrl }: Deps) {
  async function withAccounts(memberships: MembershipDocument[]): Promise<ScimPerson[]> {
    const users = await models.users
      .find({ _id: { $in: memberships.map(({ userId }) => userId) } })
      .lean<UserDocument[]>();
    const byId = new Map(users.map((user) => [user._id.toHexString(), user]));
    return memberships.flatMap((membership) => {
      const user = byId.get(membership.userId.toHexString());
      return user ? [{ membership, user }] : [];
    });
  }

  /** Who may match: everybody, or the few that an index finds where the filter demands an identifier. */
  async function candidates(organizationId: string, filter: Filter): Promise<object> {
    const [id, externalId, userName] = ['id', 'externalId', 'userName'].map((name) =>
      filter.demanded(name),
    );
    if (id !== undefined) return { organizationId, userId: ID.test(id) ? id : null };
    if (externalId !== undefined) return { organizationId, ssoId: externalId };
    if (userName === undefined) return { organizationId };
    const name = userName.toLowerCase();
    const account = await models.users
      .findOne({ email: name }, '_id')
      .lean<Pick<UserDocument, '_id'>>();
    return {
      organizationId,
      $or: [{ 'directory.userName': name }, ...(account ? [{ userId: account._id }] : [])],
    };
  }

  /** Everybody who fits `where`, newest first, a batch at a time. */
  async function* batches(where: object): AsyncGenerator<ScimPerson[]> {
    let batch: MembershipDocument[] = [];
    const cursor = models.memberships
      .find(where)
      .sort(NEWEST_FIRST)
      .lean<MembershipDocument[]>()
      .cursor();
    for await (const membership of cursor as AsyncIterable<MembershipDocument>) {
      batch.push(membership);
      if (batch.length < BATCH) continue;
      yield withAccounts(batch);
      batch = [];
    }
    yield withAccounts(batch);
  }

  const people = {
    /** @throws AppError `NOT_FOUND` */
    async find({ organizationId }: Tenant, userId: string): Promise<ScimPerson> {
      const membership = await models.memberships
        .findOne({ organizationId, userId })
        .lean<MembershipDocument>();
      const [person] = membership ? await withAccounts([membership]) : [];
      if (!person) throw new AppError('NOT_FOUND', 'No such user');
      return person;
    },

    async list({ organizationId }: Tenant, filter: Filter | null, { skip, limit }: PageWindow) {
      if (filter === null) {
        const memberships = await models.memberships
          .find({ organizationId })
          .sort(NEWEST_FIRST)
          .skip(skip)
          .limit(limit)
          .lean<MembershipDocument[]>();
        const total = await models.memberships.countDocuments({ organizationId });
        return {
          total,
          items: limit === 0 ? [] : (await withAccounts(memberships)).map(people.shown),
        };
      }
      let total = 0;
      const items: ScimUserView[] = [];
      for await (const batch of batches(await candidates(organizationId, filter)))
        for (const resource of batch.map(people.shown).filter(filter.matches)) {
          if (total >= skip && items.length < limit) items.push(resource);
          total += 1;
        }
      return { total, items };
    },

    /** Everybody in a role, as the members of its group. */
    async inRole({ organizationId }: Tenant, role: RoleGroup) {
      const memberships = await models.memberships
        .find({ organizationId, role })
        .sort(NEWEST_FIRST)
        .lean<MembershipDocument[]>();
      return (await withAccounts(memberships)).map((person) => {
        const value = person.user._id.toHexString();
        return {
          value,
          $ref: `${baseUrl}/Users/${value}`,
          display: displayNameOf(person),
          type: 'User',
        };
      });
    },

    shown(this: void, person: ScimPerson): ScimUserView {
      const { membership, user } = person;
      const { directory, role, ssoId } = membership;
      const id = user._id.toHexString();
      const name = nameOf(directory);
      return {
        schemas: [USER_SCHEMA.id],
        id,
        ...(ssoId != null && { externalId: ssoId }),
        userName: userNameOf(person),
        displayName: displayNameOf(person),
        ...(name && { name }),
        active: membership.isActive,
        emails: emailsOf(person),
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
    },
  };
  return people;
}
export type PeopleService = ReturnType<typeof createPeopleService>;

type Entry = Pick<DirectoryEntry, 'userName' | 'displayName' | 'givenName' | 'familyName'>;

/** By default the given and family name, then what stands before the at-sign. */
export function displayNameIn({ userName, displayName, givenName, familyName }: Entry): string {
  const composed = [givenName, familyName].filter((part) => part !== null).join(' ');
  return displayName ?? (composed || (userName.split('@', 1)[0] ?? userName));
}

const userNameOf = ({ membership, user }: ScimPerson): string =>
  membership.directory?.userName ?? user.email;

/** Of a provisioned member what the directory says, never what the person is called elsewhere. */
const displayNameOf = ({ membership, user }: ScimPerson): string =>
  membership.directory ? displayNameIn(membership.directory) : user.name;

function nameOf(directory: DirectoryEntry | null): ScimUserView['name'] {
  const { formatted = null, givenName = null, familyName = null } = directory ?? {};
  const composed = [givenName, familyName].filter((part) => part !== null).join(' ');
  const parts = Object.entries({
    formatted: formatted ?? (composed || null),
    givenName,
    familyName,
  });
  const given = parts.filter((part): part is [string, string] => part[1] !== null);
  return given.length > 0 ? Object.fromEntries(given) : undefined;
}

function emailsOf({ membership, user }: ScimPerson): ScimUserView['emails'] {
  const given = membership.directory?.emails ?? [];
  if (given.length === 0)
    return [
      { value: accountAddress(membership.directory) ?? user.email, type: 'work', primary: true },
    ];
  const chosen = Math.max(
    0,
    given.findIndex(({ primary }) => primary),
  );
  return given.map(({ value, type }, index) => ({
    value,
    ...(type !== null && { type }),
    primary: index === chosen,
  }));
}

const ADDRESS = /^[^\s@]+@[^\s@]+$/;

/** The e-mail address of the account: the user name, or the canonical address where that is none. */
export function accountAddress(
  entry: Pick<DirectoryEntry, 'userName' | 'emails'> | null,
): string | null {
  const candidates = entry ? [entry.userName, entry.emails[0]?.value.toLowerCase() ?? ''] : [];
  return candidates.find((one) => ADDRESS.test(one)) ?? null;
}
