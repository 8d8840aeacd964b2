// One policy: its rule, trials on real decisions, what it would have done to the past, its canary, and its versions.
import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense } from 'react';
import { describeLimit, readLimits } from '../../parts/limits/limit-words.ts';
import { ButtonLink, TextLink } from '../../parts/links.tsx';
import { Page } from '../../parts/page.tsx';
import { RouteTabs } from '../../parts/layout/route-tabs.tsx';
import { Empty, Loading, QueryView } from '../../parts/states.tsx';
import { markInvisible } from '../../parts/text.tsx';
import { useDraft } from './editor/use-draft.ts';
import { PolicyAction } from './list/policy-action.tsx';
import { PolicyState } from './list/policy-state.tsx';
import type { PolicyPart } from './policies.route.ts';
import {
  createPolicyQuery,
  createSourceQuery,
  createTemplateRuleQuery,
  type Policy,
} from './policy-queries.ts';
import { PolicySwitch } from './policy-switch.tsx';
import { findStrongest } from './policy-words.ts';

const RulePart = lazy(async () => ({
  default: (await import('./editor/rule-part.tsx')).RulePart,
}));
const TryPart = lazy(async () => ({ default: (await import('./trials/try-part.tsx')).TryPart }));
const ReplayPart = lazy(async () => ({
  default: (await import('./trials/replay-part.tsx')).ReplayPart,
}));
const CanaryPart = lazy(async () => ({
  default: (await import('./trials/canary-part.tsx')).CanaryPart,
}));
const EffectPart = lazy(async () => ({
  default: (await import('./effect-part.tsx')).EffectPart,
}));
const VersionsPart = lazy(async () => ({
  default: (await import('./trials/versions-part.tsx')).VersionsPart,
}));
const route = getRouteApi('/session/policies/$policyId');

const TABS: readonly { value: PolicyPart; label: string; isForNew: boolean }[] = [
  { value: 'rule', label: 'Rule', isForNew: true },
  { value: 'effect', label: 'Effect', isForNew: false },
  { value: 'try', label: 'Try it', isForNew: true },
  { value: 'replay', label: 'Replay', isForNew: true },
  { value: 'canary', label: 'Canary', isForNew: false },
  { value: 'versions', label: 'Versions', isForNew: false },
];

/** It observes at first: saved at once, it holds nothing. */
const FIRST_RULE = `policy "Larger refunds"
description "A person looks at refunds above 100."
observe
when
  action.names.matches("refund") &&
  action.largestAmount > 100
then flag_for_review {"reason":"Money leaves"}
`;

/** Below its limit it does nothing, so it judges at once. */
const LIMIT_RULE = `policy "Refunds of a day"
description "A person looks at what an agent pays back beyond 500 in a day."
when
  action.names.matches("refund")
then flag_for_review {"limit":{"most":500,"of":"action.totalAmount","per":"agent","window":"24h"},"reason":"The budget of the day is spent"}
`;

/** On one tool, as a person writes it on. */
const createToolRule = (tool: string): string => `policy ${JSON.stringify(`On ${tool}`)}
observe
when
  action.names.contains(${JSON.stringify(tool)})
then flag_for_review {"reason":"A person looks at ${JSON.stringify(tool).slice(1, -1)}"}
`;

const chooseFirstRule = (start: 'limit' | undefined, tool: string | undefined): string => {
  if (tool !== undefined) return createToolRule(tool);
  return start === 'limit' ? LIMIT_RULE : FIRST_RULE;
};

export function PolicyPage(): ReactNode {
  const { policyId } = route.useParams();
  return policyId === 'new' ? <NewPolicy /> : <StoredPolicy key={policyId} id={policyId} />;
}

function NewPolicy(): ReactNode {
  const { template, start, tool } = route.useSearch();
  const rule = useQuery(createTemplateRuleQuery(template));
  if (template === undefined) return <Parts policy={null} stored={chooseFirstRule(start, tool)} />;
  return (
    <QueryView query={rule}>
      {(found) =>
        found === null ? (
          <Empty isPage icon="policies" title="There is no such template">
            The list of policies shows all of them.
          </Empty>
        ) : (
          <Parts key={template} policy={null} stored={found} />
        )
      }
    </QueryView>
  );
}

function StoredPolicy({ id }: { id: string }): ReactNode {
  const policy = useQuery(createPolicyQuery(id));
  const source = useQuery(createSourceQuery(id));
  const both = policy.data && source.data && { policy: policy.data, adl: source.data.adl };
  const query = { ...policy, error: policy.error ?? source.error, data: both };
  return (
    <QueryView query={query}>
      {(found) => <Parts policy={found.policy} stored={found.adl} />}
    </QueryView>
  );
}

/** `policy` null: it is not saved yet. */
function Parts({ policy, stored }: { policy: Policy | null; stored: string }): ReactNode {
  const { part = 'rule' } = route.useSearch();
  const navigate = route.useNavigate();
  const draft = useDraft(policy, stored);
  return (
    <Page
      title={policy ? markInvisible(policy.name) : 'New policy'}
      lead={policy ? <Lead policy={policy} /> : 'Nothing counts before it is saved.'}
      actions={
        policy && (
          <>
            <ButtonLink to="/live" search={{ policy: policy.id }} variant="default" size="xs">
              Its decisions
            </ButtonLink>
            <PolicySwitch policy={policy} />
          </>
        )
      }
    >
      <RouteTabs
        label="Parts of the policy"
        value={part}
        tabs={TABS.filter(({ isForNew }) => isForNew || policy !== null)}
        onChange={(value) => void navigate({ search: (known) => ({ ...known, part: value }) })}
      >
        <Stack gap="md">
          <Suspense fallback={<Loading />}>
            {part === 'rule' && <RulePart draft={draft} />}
            {part === 'effect' && policy && <EffectPart policy={policy} />}
            {part === 'try' && <TryPart draft={draft} />}
            {part === 'replay' && <ReplayPart draft={draft} />}
            {part === 'canary' && policy && <CanaryPart policy={policy} draft={draft} />}
            {part === 'versions' && policy && <VersionsPart policy={policy} />}
          </Suspense>
        </Stack>
      </RouteTabs>
    </Page>
  );
}

function Lead({ policy }: { policy: Policy }): ReactNode {
  const limits = readLimits(policy.actions);
  return (
    <>
      <Group gap="md" component="span">
        <PolicyAction {...findStrongest(policy.actions)} />
        <PolicyState policy={policy} />
        <span>Version {policy.revision}</span>
      </Group>
      {limits.map((limit, at) => (
        <Text key={at} size="sm" className="stored-text">
          Limit: {markInvisible(describeLimit(limit))}
        </Text>
      ))}
      {limits.length > 0 && (
        <TextLink to="/budgets" search={{ policy: policy.id }} size="sm">
          See what is spent
        </TextLink>
      )}
    </>
  );
}
