// The people of a review: by which names decisions may mean them, which keys they made, which agents they registered.
import { joinAccounts } from '../../../../identity/auth/accounts/account-reader.service.ts';
import {
  listNamedMembers,
  type MemberChoice,
} from '../../../../identity/organization/memberships/present-members.service.ts';
import { listKeyMakers } from '../../../../identity/auth/keys/keys.service.ts';
import { listAgentCreators } from '../../../../identity/agents/agent-resolver.service.ts';
import { openEffectSecrets } from '../../executions/effect-secrets.ts';
import type { Role } from '../../../../domain/identity/roles.ts';
import type { Actor } from '../../../../domain/record/payload.ts';
import { deriveActorMark } from '../../../../domain/review/actor-marks.ts';
import type { Platform } from '../../../../platform/platform.ts';
import type { TraceDocument } from '../../traces.model.ts';

export interface Person {
  userId: string;
  /** Null: no member. */
  role: Role | null;
  /** Marks of all names by which `actor` may mean the person. */
  marks: ReadonlySet<string>;
  /** Ids of those who decide in their place by now. */
  delegates: readonly string[];
}

type Source = Pick<TraceDocument, 'traceId' | 'agentId'>;
type PostedTrace = Pick<TraceDocument, 'traceId' | 'view'>;

/** More people than a decision can name: it has ten subjects, a key and an agent. */
const OTHERS_MAX = 50;

type Member = Awaited<ReturnType<typeof loadMembers>>[number];

export async function loadPerson(
  platform: Platform,
  organizationId: string,
  userId: string,
): Promise<Person> {
  const [member] = await loadMembers(platform, organizationId, { userIds: [userId] });
  return member
    ? createToPerson(platform, organizationId)(member)
    : { userId, role: null, marks: new Set(), delegates: [] };
}

/** Members who may act; unless `choice` says more, enough to find one who is not involved in a decision. */
export async function listOthers(
  platform: Platform,
  organizationId: string,
  choice: MemberChoice,
): Promise<Person[]> {
  const members = await loadMembers(platform, organizationId, { limit: OTHERS_MAX, ...choice });
  return members
    .filter((member) => mayAct(platform, member))
    .map(createToPerson(platform, organizationId));
}

/** Who made the keys that posted decisions, by `traceId`; of an agent's key, who registered the agent. */
export async function listPosterMakers(
  platform: Platform,
  organizationId: string,
  sources: readonly Source[],
): Promise<ReadonlyMap<string, string>> {
  if (sources.length === 0) return new Map();
  const traceId = { $in: sources.map((source) => source.traceId) };
  const found = await platform.models.traces
    .find({ organizationId, traceId }, 'traceId view')
    .lean<PostedTrace[]>();
  const posted = found.map((trace) => [trace.traceId, readPoster(trace)] as const);
  const keyIds = [...new Set(posted.map(([, id]) => id))];
  const makers = new Map([
    ...(await listAgentCreators(platform, organizationId, keyIds)),
    ...(await listKeyMakers(platform, organizationId, keyIds)),
  ]);
  return new Map(posted.map(([name, id]) => [name, makers.get(id) ?? '']));
}

/** The key that posted a decision. */
const readPoster = ({ view }: PostedTrace): string =>
  (JSON.parse(view) as { actor: Actor }).actor.id ?? '';

/** Who registered the agents of decisions, by the agent's id. */
export async function listAgentOwners(
  platform: Platform,
  organizationId: string,
  sources: readonly Source[],
): Promise<ReadonlyMap<string, string>> {
  const agentIds = [...new Set(sources.map(({ agentId }) => agentId))];
  return listAgentCreators(platform, organizationId, agentIds);
}

async function loadMembers(platform: Platform, organizationId: string, choice: MemberChoice) {
  const members = await listNamedMembers(platform, organizationId, choice);
  return joinAccounts(platform, members);
}

function createToPerson(platform: Platform, organizationId: string) {
  const secret = openEffectSecrets(platform)(organizationId);
  const now = platform.clock.now();
  return ({ row, user }: Member): Person => {
    const names = [row.userId.toHexString(), user.email, ...row.names];
    const marks = new Set(names.map((name) => deriveActorMark(secret, name)));
    const inForce = row.delegations.filter(({ from, until }) => from <= now && now < until);
    const delegates = inForce.map(({ delegateId }) => delegateId.toHexString());
    return { userId: row.userId.toHexString(), role: row.role, marks, delegates };
  };
}

/** Whether a session of the member may change anything. */
const mayAct = (platform: Platform, { row, user }: Member): boolean =>
  !platform.config.requireVerifiedEmail || user.emailVerifiedAt !== null || row.signsOn;
