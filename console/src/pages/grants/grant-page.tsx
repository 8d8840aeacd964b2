// One standing grant: what it lets through, how much of it is left, and the decision that it comes from.
import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Facts } from '../../parts/layout/facts.tsx';
import { Section } from '../../parts/layout/section.tsx';
import { TextLink } from '../../parts/links.tsx';
import { Page } from '../../parts/page.tsx';
import { DecisionName } from '../../parts/record/decision-name.tsx';
import { describeBound } from '../../parts/record/condition-words.ts';
import { MemberName, ThingName } from '../../parts/record/thing-name.tsx';
import { QueryView } from '../../parts/states.tsx';
import { markInvisible } from '../../parts/text.tsx';
import { formatExact } from '../../parts/time.tsx';
import { useRights } from '../../session/session.ts';
import { EndGrant } from './end-grants.tsx';
import { createGrantQuery, describeEnd, describeTool, type Grant } from './grant-queries.ts';

const route = getRouteApi('/session/grants/$grantId');

export function GrantPage(): ReactNode {
  const { grantId } = route.useParams();
  const query = useQuery(createGrantQuery(grantId));
  const { mayDecide } = useRights();
  const grant = query.data;
  return (
    <Page
      title={grant ? `${describeTool(grant)}, without a person` : 'Standing grant'}
      lead={grant && describeLead(grant)}
      actions={grant?.endedAt === null && mayDecide && <EndGrant id={grant.id} />}
    >
      <QueryView query={query}>{(found) => <Details grant={found} />}</QueryView>
    </Page>
  );
}

function describeLead(grant: Grant): string {
  const { endedAt, left, uses, until } = grant;
  if (endedAt !== null) return `${describeEnd(grant)}, ${formatExact(endedAt)}`;
  return `${left.toLocaleString('en')} of ${uses.toLocaleString('en')} left, until ${formatExact(until)}`;
}

function Details({ grant }: { grant: Grant }): ReactNode {
  const { agentId, agentName, when, policies, givenBy, createdAt, reason, fromTraceId } = grant;
  return (
    <Section
      title="What it lets through"
      lead="Each use is sealed with the decision. Another listing of the tool, another hold, a halt, a limit or a block stands in its way."
    >
      <Facts
        items={[
          [
            'Agent',
            <TextLink key="agent" to="/agents/$agentId" params={{ agentId }} size="sm">
              {markInvisible(agentName ?? agentId)}
            </TextLink>,
          ],
          ['Tool', markInvisible(describeTool(grant))],
          ['Only where', when.length === 0 ? 'Any arguments' : <Bounds key="when" when={when} />],
          [
            'Policies',
            <Stack key="policies" gap={2}>
              {policies.map(({ id }) => (
                <ThingName key={id} kind="policy" id={id} />
              ))}
            </Stack>,
          ],
          ['Given by', <MemberName key="by" id={givenBy} />],
          ['Given', formatExact(createdAt)],
          ['Reason', reason === null ? null : markInvisible(reason)],
          [
            'From',
            <TextLink
              key="from"
              to="/decisions/$traceId"
              params={{ traceId: fromTraceId }}
              size="sm"
            >
              <DecisionName traceId={fromTraceId} at={0} isShort />
            </TextLink>,
          ],
          ['Used', `${grant.used.toLocaleString('en')} of ${grant.uses.toLocaleString('en')}`],
        ]}
      />
    </Section>
  );
}

const Bounds = ({ when }: Pick<Grant, 'when'>): ReactNode => (
  <Stack gap={2}>
    {when.map((bound) => (
      <span key={`${bound.field} ${bound.operator}`}>{markInvisible(describeBound(bound))}</span>
    ))}
  </Stack>
);
