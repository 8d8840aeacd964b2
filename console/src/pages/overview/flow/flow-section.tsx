// From agents to outcomes: a picture, and lists of the same; a phone has the lists alone.
import { Skeleton, Stack } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense } from 'react';
import { membersQuery } from '../../../api/shared-queries.ts';
import { Section } from '../../../parts/layout/section.tsx';
import { QueryView } from '../../../parts/states.tsx';
import { createFlowQuery } from '../overview-queries.ts';
import type { PeriodSearch } from '../period.ts';
import { StageLists } from './stage-lists.tsx';
import classes from './sankey.module.css';

const Sankey = lazy(async () => ({ default: (await import('./sankey.tsx')).Sankey }));

const Waiting = (): ReactNode => <Skeleton h={300} animate={false} />;

export function FlowSection({ search }: { search: PeriodSearch }): ReactNode {
  const flow = useQuery(createFlowQuery(search));
  const { data: members = [] } = useQuery(membersQuery);
  const isPhone = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });
  const people = new Map(members.map(({ userId, name }) => [userId, name]));
  return (
    <Section
      title="Flow"
      lead="From agent to policy, to who decided, to the outcome. Click a part to see its decisions."
    >
      <QueryView query={flow} waiting={<Waiting />}>
        {(found) =>
          isPhone ? (
            <StageLists flow={found} people={people} />
          ) : (
            <Stack gap="xs">
              <Suspense fallback={<Waiting />}>
                <Sankey flow={found} people={people} />
              </Suspense>
              <details className={classes.details}>
                <summary>As lists</summary>
                <StageLists flow={found} people={people} />
              </details>
            </Stack>
          )
        }
      </QueryView>
    </Section>
  );
}
