// The people of a review: by which names decisions may mean them, which keys they made, which agents they registered.
import type { Actor } from '../../../../domain/record/payload.ts';
import { deriveActorMark } from '../../../../domain/review/actor-marks.ts';
import type { Platform } from '../../../../platform/platform.ts';
import type { AgentResolver } from '../../../../identity/agents/agent-resolver.service.ts';
import type { AccountReader } from '../../../../identity/auth/accounts/account-reader.service.ts';
import type { KeyService } from '../../../../identity/auth/keys/keys.service.ts';
import type {
  MemberChoice,
  PresentMembers,
} from '../../../../identity/organization/memberships/present-members.service.ts';
import type { TraceDocument } from '../../traces.model.ts';

interface Deps {
  accountReader: AccountReader;
  agents: AgentResolver;
  keys: KeyService;
  presentMembers: PresentMembers;
}

export interface Person {
  userId: string;
  /** Marks of all names by which `actor` may mean the person. */
  marks: ReadonlySet<string>;
}

type Source = Pick<TraceDocument, 'traceId' | 'agentId'>;

/** More people than a decision can name: it has ten subjects, a key and an agent. */
const OTHERS_MAX = 50;

export function createReviewPeople(
  { models, config }: Pick<Platform, 'models' | 'config'>,
  { accountReader, agents, keys, presentMembers }: Deps,
) {
  async function loadMembers(organizationId: string, choice: MemberChoice) {
    const members = await presentMembers.listNames(organizationId, choice);
    return accountReader.joinAccounts(members);
  }
  type Member = Awaited<ReturnType<typeof loadMembers>>[number];

  const toPerson = ({ row, user }: Member, secret: string): Person => {
    const names = [row.userId.toHexString(), user.email, ...row.names];
    const marks = new Set(names.map((name) => deriveActorMark(secret, name)));
    return { userId: row.userId.toHexString(), marks };
  };

  /** Whether a session of the member may change anything. */
  const mayAct = ({ row, user }: Member): boolean =>
    !config.requireVerifiedEmail || user.emailVerifiedAt !== null || row.signsOn;

  return {
    async loadPerson(organizationId: string, userId: string, secret: string): Promise<Person> {
      const [member] = await loadMembers(organizationId, { userIds: [userId] });
      return member ? toPerson(member, secret) : { userId, marks: new Set() };
    },

    /** Some members who may act: enough to find one who is not involved in a decision. */
    async listOthers(
      organizationId: string,
      choice: MemberChoice,
      secret: string,
    ): Promise<Person[]> {
      const members = await loadMembers(organizationId, { ...choice, limit: OTHERS_MAX });
      return members.filter(mayAct).map((member) => toPerson(member, secret));
    },

    /** Who made the keys that posted decisions, by `traceId`; of an agent's key, who registered the agent. */
    async listKeyMakers(
      organizationId: string,
      sources: readonly Source[],
    ): Promise<ReadonlyMap<string, string>> {
      if (sources.length === 0) return new Map();
      const traceId = { $in: sources.map((source) => source.traceId) };
      const found = await models.traces
        .find({ organizationId, traceId }, 'traceId view')
        .lean<{ traceId: string; view: string }[]>();
      const posted = found.map(({ traceId: name, view }) => {
        const { id } = (JSON.parse(view) as { actor: Actor }).actor;
        return [name, id ?? ''] as const;
      });
      const keyIds = [...new Set(posted.map(([, id]) => id))];
      const makers = new Map([
        ...(await agents.listCreators(organizationId, keyIds)),
        ...(await keys.listMakers(organizationId, keyIds)),
      ]);
      return new Map(posted.map(([name, id]) => [name, makers.get(id) ?? '']));
    },

    /** Who registered the agents of decisions, by the agent's id. */
    async listAgentOwners(
      organizationId: string,
      sources: readonly Source[],
    ): Promise<ReadonlyMap<string, string>> {
      const agentIds = [...new Set(sources.map(({ agentId }) => agentId))];
      return agents.listCreators(organizationId, agentIds);
    },
  };
}
export type ReviewPeople = ReturnType<typeof createReviewPeople>;
