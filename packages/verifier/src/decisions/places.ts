// Reads where a decision stands, as far as a document shows it: agent, session, and the persons for whom it is done.
import type { Shown } from '../disclosures.ts';
import { isMembers, type Members, toCanonicalJson, type Value } from '../text.ts';
import type { View } from '../view.ts';

/** A session is that of an agent in a workspace. */
interface Session {
  workspaceId: Value;
  agent: Value;
  sessionId: Value;
}

/** The value of a name that is shown without anything withheld. */
export function readShown(shown: ReadonlyMap<string, Shown>, name: string): Value | undefined {
  const value = shown.get(name)?.values[0];
  return value?.path === '' ? value.value : undefined;
}

function readMembers(shown: ReadonlyMap<string, Shown>, name: string): Members | null {
  const value = readShown(shown, name);
  return isMembers(value) ? value : null;
}

/** What a halt says of the session that it halts; null: it is not shown. */
export function readSession(shown: ReadonlyMap<string, Shown>): Session | null {
  const { workspaceId = null, agent, sessionId } = readMembers(shown, 'session') ?? {};
  return agent === undefined || sessionId === undefined ? null : { workspaceId, agent, sessionId };
}

export const toSessionName = ({ workspaceId, agent, sessionId }: Session): string =>
  `session:${toCanonicalJson([workspaceId, agent, sessionId])}`;

/** The names of agent, session and persons by which a decision is halted; without those that are not shown. */
export function listPlaceNames(view: View, shown: ReadonlyMap<string, Shown>): string[] {
  const agent = view.agent ?? readMembers(shown, 'facts')?.['agentMark'] ?? null;
  const names = agent === null ? [] : [`agent:${String(agent)}`];
  const sessionId = readShown(shown, 'sessionId') ?? null;
  if (agent !== null && sessionId !== null)
    names.push(toSessionName({ workspaceId: view.workspaceId ?? null, agent, sessionId }));
  return [...names, ...listPersons(shown).map((id) => `person:${id}`)];
}

function listPersons(shown: ReadonlyMap<string, Shown>): string[] {
  const { chain = [] } = readMembers(shown, 'principal') ?? {};
  return (Array.isArray(chain) ? chain : []).flatMap((member) => {
    const { type, id } = Object(member) as Members;
    return type === 'user' && typeof id === 'string' ? [id] : [];
  });
}
