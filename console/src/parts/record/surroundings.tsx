// What a decision stands in besides its prompt: what its agent was given, its session, what it follows from, for whom.
import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { readGivenContext } from '../decision-text.ts';
import { Facts } from '../layout/facts.tsx';
import { TextLink } from '../links.tsx';
import { markInvisible, Stored } from '../text.tsx';

/** Members of a decision; those that it does not have are absent or null. */
interface Props {
  inputContext?: unknown;
  sessionId?: unknown;
  parentTraceId?: unknown;
  actor?: unknown;
  labels?: unknown;
}

export function Surroundings({ inputContext, ...members }: Props): ReactNode {
  const given = readGivenContext(inputContext);
  return (
    <>
      <Relations {...members} />
      {given !== null && (
        <div>
          <Title order={2} mb={2} size="h3">
            What its agent was given
          </Title>
          <Stored value={given} />
        </div>
      )}
    </>
  );
}

function Relations({ sessionId, parentTraceId, actor, labels }: Props): ReactNode {
  return (
    <Facts
      items={[
        ['Session', typeof sessionId === 'string' ? <SessionLink session={sessionId} /> : null],
        ['Follows from', typeof parentTraceId === 'string' ? <Parent id={parentTraceId} /> : null],
        ['On behalf of', Array.isArray(actor) ? describeActors(actor) : null],
        ['Labels', Array.isArray(labels) ? markInvisible(labels.join(', ')) : null],
      ]}
    />
  );
}

function SessionLink({ session }: { session: string }): ReactNode {
  return (
    <TextLink to="/live" search={{ session }} size="sm">
      {markInvisible(session)}
    </TextLink>
  );
}

function Parent({ id }: { id: string }): ReactNode {
  return (
    <TextLink to="/decisions/$traceId" params={{ traceId: id }} size="sm" className="numbers">
      {id}
    </TextLink>
  );
}

/** The nearest first: for whom an agent acts, and for whom that one does. */
function describeActors(actors: readonly unknown[]): ReactNode {
  const names = actors.map((actor) => {
    const { type, id } = actor as { type?: unknown; id?: unknown };
    return `${String(id)} (${String(type)})`;
  });
  return (
    <Text span size="sm">
      {markInvisible(names.join(', for '))}
    </Text>
  );
}
