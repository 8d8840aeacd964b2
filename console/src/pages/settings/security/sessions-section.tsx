// Where the person is signed in, and how to end it.
import { Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, readData, readEnvelope } from '../../../api/client.ts';
import type { components } from '../../../api/schema.gen.d.ts';
import { ConfirmButton } from '../../../parts/forms/confirm-button.tsx';
import { useChange } from '../../../parts/forms/use-change.ts';
import { Section } from '../../../parts/layout/section.tsx';
import { DataTable, RowActions } from '../../../parts/lists/data-table.tsx';
import { createPagedQuery, ShowMore } from '../../../parts/lists/paged-list.tsx';
import { QueryView } from '../../../parts/states.tsx';
import { markInvisible } from '../../../parts/text.tsx';
import { Ago, formatToMinute } from '../../../parts/time.tsx';

type Session = components['schemas']['OpenSession'];

const sessionsQuery = createPagedQuery<Session>(['sessions'], (page, signal) => {
  const query = { page, limit: 25 };
  return readEnvelope(api.GET('/api/v1/auth/sessions', { params: { query }, signal }));
});

export function SessionsSection(): ReactNode {
  const sessions = useInfiniteQuery(sessionsQuery);
  const endAll = useChange({
    change: () => readData(api.POST('/api/v1/auth/revoke-sessions')),
    refresh: ['sessions', 'session'],
  });
  return (
    <Section
      title="Sessions"
      actions={
        <ConfirmButton
          label="End all"
          title="End all sessions?"
          mutation={endAll}
          onConfirm={() => endAll.mutateAsync()}
          isDangerous
        >
          You are signed out everywhere, here too.
        </ConfirmButton>
      }
    >
      <QueryView query={sessions}>
        {(found) => (
          <>
            <SessionTable sessions={found} />
            <ShowMore list={sessions} />
          </>
        )}
      </QueryView>
    </Section>
  );
}

function SessionTable({ sessions }: { sessions: readonly Session[] }): ReactNode {
  return (
    <DataTable
      label="Sessions"
      isPlain
      rows={sessions}
      toKey={({ jti }) => jti}
      columns={[
        {
          title: 'Program',
          cell: ({ userAgent, isCurrent }) => (
            <Text size="sm" lineClamp={2}>
              {isCurrent ? 'This one: ' : ''}
              {markInvisible(userAgent ?? 'Unknown')}
            </Text>
          ),
        },
        { title: 'Address', cell: ({ ip }) => ip ?? 'Unknown' },
        { title: 'Began', cell: ({ createdAt }) => <Ago at={createdAt} /> },
        { title: 'Ends', cell: ({ expiresAt }) => formatToMinute(expiresAt) },
        {
          title: 'Actions',
          isTitleHidden: true,
          isEnd: true,
          cell: (session) => !session.isCurrent && <EndButton jti={session.jti} />,
        },
      ]}
    />
  );
}

function EndButton({ jti }: { jti: string }): ReactNode {
  const end = useChange({
    change: () => readData(api.POST('/api/v1/auth/revoke-session', { body: { jti } })),
    refresh: ['sessions'],
    note: 'The session has ended',
  });
  return (
    <RowActions>
      <ConfirmButton
        label="End"
        title="End the session?"
        mutation={end}
        onConfirm={() => end.mutateAsync()}
        buttonProps={{ 'aria-label': `End session ${jti.slice(0, 6)}` }}
      >
        The program has to sign in again.
      </ConfirmButton>
    </RowActions>
  );
}
