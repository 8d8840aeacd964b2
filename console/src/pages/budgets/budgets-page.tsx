// Budgets: each limit of a policy with what is spent, reserved and left of it, now or as of a time.
import { Button, Group, Stack } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useStreamRefresh } from '../../api/stream-refresh.ts';
import { ButtonLink, TextLink } from '../../parts/links.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, QueryView } from '../../parts/states.tsx';
import { formatToMinute } from '../../parts/time.tsx';
import { useRights } from '../../session/session.ts';
import { AsOf } from './as-of.tsx';
import { type Budget, type BudgetFilters, createBudgetsQuery } from './budget-queries.ts';
import { LimitCard } from './limit-card.tsx';
import { BarLegend } from './spent-bar.tsx';

const route = getRouteApi('/session/budgets');

/** Limits that are drawn at once. */
const SHOWN_AT_ONCE = 30;

export function BudgetsPage(): ReactNode {
  const filters = route.useSearch();
  const { policy, at } = filters;
  const navigate = route.useNavigate();
  const budgets = useQuery(createBudgetsQuery(filters));
  useFreshSums(at === undefined);
  return (
    <Page
      title="Budgets"
      lead={<Lead filters={filters} />}
      actions={
        <AsOf
          at={at}
          onChange={(chosen) => void navigate({ search: (known) => ({ ...known, at: chosen }) })}
        />
      }
    >
      <QueryView query={budgets}>
        {(found) =>
          found.length === 0 ? (
            <NoLimit isOfOne={policy !== undefined} />
          ) : (
            <Limits key={policy} budgets={found} filters={filters} />
          )
        }
      </QueryView>
    </Page>
  );
}

/** Sums follow the chain a moment after the event. */
const SUMMED_MS = 2000;

/** Reads again when something is spent: at once, and when the sums have followed. */
function useFreshSums(isEnabled: boolean): void {
  const queries = useQueryClient();
  const queryKey = ['budgets'];
  const readLater = useDebouncedCallback(
    () => void queries.invalidateQueries({ queryKey }),
    SUMMED_MS,
  );
  useStreamRefresh({
    queryKey,
    cost: 2,
    isForDecision() {
      readLater();
      return true;
    },
    isForReview({ change }) {
      if (change === 'approved') readLater();
      return change === 'approved';
    },
    isEnabled,
  });
}

function Lead({ filters: { policy, at } }: { filters: BudgetFilters }): ReactNode {
  const time = at === undefined ? '' : ` As of ${formatToMinute(at)}.`;
  if (policy === undefined)
    return `What is spent of the limits of policies, the fullest sums first.${time}`;
  return (
    <>
      All sums of one policy, the fullest first.{time}{' '}
      <TextLink to="/budgets" search={at === undefined ? {} : { at }} size="sm">
        All budgets
      </TextLink>
    </>
  );
}

function NoLimit({ isOfOne }: { isOfOne: boolean }): ReactNode {
  const { mayWrite } = useRights();
  return (
    <Empty
      icon="budgets"
      title={isOfOne ? 'This policy has no limit' : 'No limits yet'}
      action={
        mayWrite && (
          <ButtonLink
            to="/policies/$policyId"
            params={{ policyId: 'new' }}
            search={{ start: 'limit' }}
            size="xs"
          >
            Make a policy with a limit
          </ButtonLink>
        )
      }
    >
      A policy that blocks or holds may do so only beyond a limit: a number of acts, a sum of money
      or of tokens, for each agent in a day for instance. What is spent of it stands here.
    </Empty>
  );
}

interface LimitsProps {
  budgets: readonly Budget[];
  filters: BudgetFilters;
}

function Limits({ budgets, filters }: LimitsProps): ReactNode {
  const [count, setCount] = useState(SHOWN_AT_ONCE);
  return (
    <Stack gap="md">
      <BarLegend />
      {budgets.slice(0, count).map((budget) => (
        <LimitCard key={`${budget.policyId} ${budget.at}`} budget={budget} filters={filters} />
      ))}
      {budgets.length > count && (
        <Group justify="center">
          <Button
            variant="default"
            size="xs"
            onClick={() => setCount((known) => known + SHOWN_AT_ONCE)}
          >
            Show more
          </Button>
        </Group>
      )}
    </Stack>
  );
}
