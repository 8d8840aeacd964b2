// What people call a thing of which only the id is at hand, with a link to its page: the one way in which pages name things.
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import {
  agentsQuery,
  alertNamesQuery,
  incidentNamesQuery,
  keyNamesQuery,
  membersQuery,
  policiesQuery,
  webhookNamesQuery,
  workspacesQuery,
} from '../../api/shared-queries.ts';
import { TextLink } from '../links.tsx';
import { markInvisible, ShortHash } from '../text.tsx';
import { DecisionName } from './decision-name.tsx';

interface Props {
  /** What it is, as the audit log says it. */
  kind: string;
  id: string;
  /** Its place in a list: of decisions the first few are read. */
  at?: number;
}

/** Ids that were made up; others are names already, as those of lists and tools. */
const MADE_UP = /^([0-9a-f]{24}|trc_[0-9a-f]{32})$/;

type Names = ReadonlyMap<string, string>;

const EMPTY: Names = new Map();
const toNames = (things: readonly { id: string; name: string }[] | undefined): Names =>
  things ? new Map(things.map(({ id, name }) => [id, name])) : EMPTY;

/** Null: it has no name of its own. */
function useNames(kind: string): Names | null {
  const enableFor = (...kinds: string[]) => ({ enabled: kinds.includes(kind) });
  const agents = useQuery({ ...agentsQuery, ...enableFor('agent') });
  const policies = useQuery({ ...policiesQuery, ...enableFor('policy') });
  const members = useQuery({ ...membersQuery, ...enableFor('member', 'user', 'session') });
  const workspaces = useQuery({ ...workspacesQuery, ...enableFor('workspace') });
  const keys = useQuery({ ...keyNamesQuery, ...enableFor('apiKey') });
  const incidents = useQuery({ ...incidentNamesQuery, ...enableFor('incident') });
  const alerts = useQuery({ ...alertNamesQuery, ...enableFor('alert') });
  const webhooks = useQuery({ ...webhookNamesQuery, ...enableFor('webhook') });
  const listPeople = () => members.data?.map(({ userId: id, name }) => ({ id, name }));
  const found: Readonly<Record<string, () => { id: string; name: string }[] | undefined>> = {
    agent: () => agents.data?.map(({ _id: id, name }) => ({ id, name })),
    policy: () => policies.data?.map(({ _id: id, name }) => ({ id, name })),
    member: listPeople,
    user: listPeople,
    session: listPeople,
    workspace: () => workspaces.data?.map(({ _id: id, name }) => ({ id, name })),
    apiKey: () => keys.data,
    incident: () => incidents.data,
    alert: () => alerts.data,
    webhook: () => webhooks.data,
  };
  const list = found[kind];
  return list ? toNames(list()) : null;
}

const PAGES: Readonly<Record<string, (id: string, name: ReactNode) => ReactNode>> = {
  agent: (agentId, name) => (
    <TextLink to="/agents/$agentId" params={{ agentId }} size="sm">
      {name}
    </TextLink>
  ),
  policy: (policyId, name) => (
    <TextLink to="/policies/$policyId" params={{ policyId }} size="sm">
      {name}
    </TextLink>
  ),
  incident: (incidentId, name) => (
    <TextLink to="/incidents/$incidentId" params={{ incidentId }} size="sm">
      {name}
    </TextLink>
  ),
  webhook: (webhookId, name) => (
    <TextLink to="/webhooks/$webhookId" params={{ webhookId }} size="sm">
      {name}
    </TextLink>
  ),
  alert: (_id, name) => (
    <TextLink to="/alerts" size="sm">
      {name}
    </TextLink>
  ),
  trace: (traceId, name) => (
    <TextLink to="/decisions/$traceId" params={{ traceId }} size="sm">
      {name}
    </TextLink>
  ),
  halt: (haltId, name) => (
    <TextLink to="/halts/$haltId" params={{ haltId }} size="sm">
      {name}
    </TextLink>
  ),
};

/** What has no name, or is gone, is its id in short. */
export function ThingName({ kind, id, at = 0 }: Props): ReactNode {
  const names = useNames(kind);
  const toPage = PAGES[kind];
  if (kind === 'trace') return toPage?.(id, <DecisionName traceId={id} at={at} />);
  const name = names?.get(id) ?? (kind === 'halt' ? 'Halt' : undefined);
  if (name !== undefined) return toPage?.(id, markInvisible(name)) ?? markInvisible(name);
  return MADE_UP.test(id) ? <ShortHash value={id} label="id" /> : markInvisible(id);
}

/** `id`: of a user; null: a key or the service. */
export function MemberName({ id }: { id: string | null }): ReactNode {
  const { data: members = [] } = useQuery(membersQuery);
  if (id === null) return 'A key or the service';
  const name = members.find(({ userId }) => userId === id)?.name;
  return name === undefined ? 'A former member' : markInvisible(name);
}
