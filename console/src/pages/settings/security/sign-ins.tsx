// The latest sign-ins of the account, those that failed too.
import { Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, readEnvelope } from '../../../api/client.ts';
import type { components } from '../../../api/schema.gen.d.ts';
import { Section } from '../../../parts/layout/section.tsx';
import { DataTable } from '../../../parts/lists/data-table.tsx';
import { createPagedQuery, ShowMore } from '../../../parts/lists/paged-list.tsx';
import { QueryView } from '../../../parts/states.tsx';
import { markInvisible } from '../../../parts/text.tsx';
import { Ago } from '../../../parts/time.tsx';
import { Sign } from '../../../parts/verdict.tsx';

type SignIn = components['schemas']['LoginActivity'];

const signInsQuery = createPagedQuery<SignIn>(['sign-ins'], (page, signal) => {
  const query = { page, limit: 10 };
  return readEnvelope(api.GET('/api/v1/auth/login-activity', { params: { query }, signal }));
});

export function SignIns(): ReactNode {
  const list = useInfiniteQuery(signInsQuery);
  return (
    <Section title="Sign-ins" lead="If one of them was not you, change the password.">
      <QueryView query={list}>
        {(found) =>
          found.length === 0 ? (
            <Text size="sm" c="dimmed">
              None yet.
            </Text>
          ) : (
            <>
              <DataTable
                label="Sign-ins"
                isPlain
                rows={found}
                toKey={({ _id }) => _id}
                columns={[
                  {
                    title: 'Outcome',
                    cell: ({ status }) => (
                      <Sign tone={status === 'success' ? 'good' : 'bad'}>
                        {status === 'success' ? 'Signed in' : 'Failed'}
                      </Sign>
                    ),
                  },
                  { title: 'By', cell: ({ method, detail }) => method ?? detail ?? '—' },
                  { title: 'Address', cell: ({ ipAddress }) => ipAddress ?? 'Unknown' },
                  {
                    title: 'Program',
                    cell: ({ userAgent }) => (
                      <Text size="sm" lineClamp={1}>
                        {markInvisible(userAgent ?? 'Unknown')}
                      </Text>
                    ),
                  },
                  { title: 'When', isEnd: true, cell: ({ createdAt }) => <Ago at={createdAt} /> },
                ]}
              />
              <ShowMore list={list} />
            </>
          )
        }
      </QueryView>
    </Section>
  );
}
