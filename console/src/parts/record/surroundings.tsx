// What a decision stands in besides its prompt: what its agent was given, its session, what it follows from, for whom.
import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { readGivenContext } from '../decision-text.ts';
import { Facts } from '../layout/facts.tsx';
import { TextLink } from '../links.tsx';
import { markInvisible, Stored } from '../text.tsx';

/** Members of a decision; those that it does not have are absent or null. */
interface Props {
  /** Names its session; absent: no link leads there. */
  traceId?: string;
  /** The page is that of its session. */
  isOfSession?: boolean;
  inputContext?: unknown;
  sessionId?: unknown;
  parentTraceId?: unknown;
  actor?: unknown;
  labels?: unknown;
}

export function Surroundings({ inputContext, ...members }: Props): ReactNode {
  return (
    <>
      <Relations {...members} />
      <TitledValue title="What its agent was given" value={readGivenContext(inputContext)} />
    </>
  );
}

/** A stored value below its title; nothing where there is none. */
export function TitledValue({ title, value }: { title: string; value: unknown }): ReactNode {
  if (value === null || value === undefined || value === '') return null;
  return (
    <div>
      <Title order={2} size="h3" mb={2}>
        {title}
      </Title>
      <Stored value={value} />
    </div>
  );
}

function Relations(props: Props): ReactNode {
  const { traceId, isOfSession = false, sessionId, parentTraceId, actor, labels } = props;
  return (
    <Facts
      items={[
        [
          'Session',
          traceId === undefined || isOfSession ? null : (
            <SessionLink traceId={traceId} sessionId={sessionId} />
          ),
        ],
        ['Follows from', typeof parentTraceId === 'string' ? <Parent id={parentTraceId} /> : null],
        ['On behalf of', Array.isArray(actor) ? describeActors(actor) : null],
        ['Labels', Array.isArray(labels) ? markInvisible(labels.join(', ')) : null],
      ]}
    />
  );
}

function SessionLink({ traceId, sessionId }: { traceId: string; sessionId: unknown }): ReactNode {
  return (
    <TextLink to="/sessions/$traceId" params={{ traceId }} size="sm">
      {typeof sessionId === 'string' ? markInvisible(sessionId) : 'What came before and after'}
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
