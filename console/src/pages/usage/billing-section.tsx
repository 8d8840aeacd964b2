// The plan, what others include, and the way to the payment processor.
import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, readData } from '../../api/client.ts';
import type { components } from '../../api/schema.gen.d.ts';
import { useChange } from '../../parts/forms/use-change.ts';
import { Facts } from '../../parts/layout/facts.tsx';
import { Section } from '../../parts/layout/section.tsx';
import { DataTable, RowActions } from '../../parts/lists/data-table.tsx';
import { Problem, QueryView } from '../../parts/states.tsx';
import { formatToMinute } from '../../parts/time.tsx';
import { useRights } from '../../session/session.ts';
import { toTitle } from '../../parts/words.ts';

type Billing = components['schemas']['Billing'];
type Offer = components['schemas']['PlanOffer'];
type PlanId = components['schemas']['CheckoutInput']['planId'];

export function BillingSection(): ReactNode {
  const billing = useQuery({
    queryKey: ['billing'],
    queryFn: () => readData(api.GET('/api/v1/billing')),
  });
  const plans = useQuery({
    queryKey: ['billing', 'plans'],
    queryFn: () => readData(api.GET('/api/v1/billing/plans')),
  });
  return (
    <Section title="Plan">
      <QueryView query={billing}>{(found) => <Subscription billing={found} />}</QueryView>
      <QueryView query={plans}>
        {(offers) => <Offers offers={offers} current={billing.data?.subscription.plan} />}
      </QueryView>
    </Section>
  );
}

function Subscription({ billing }: { billing: Billing }): ReactNode {
  const { plan, status, currentPeriodEnd, cancelAtPeriodEnd, paymentCustomerId } =
    billing.subscription;
  const { mayManage } = useRights();
  const open = useChange({
    change: () => readData(api.POST('/api/v1/billing/portal')),
    onDone: ({ url }) => location.assign(url),
  });
  return (
    <>
      <Facts
        items={[
          ['Plan', toTitle(plan)],
          ['State', toTitle(status)],
          [cancelAtPeriodEnd ? 'Ends' : 'Period ends', formatToMinute(currentPeriodEnd)],
        ]}
      />
      {mayManage && paymentCustomerId !== null && (
        <Button
          variant="default"
          size="xs"
          w="fit-content"
          loading={open.isPending}
          onClick={() => open.mutate()}
        >
          Invoices and payment
        </Button>
      )}
      {open.error && <Problem error={open.error} />}
    </>
  );
}

const OVERAGES = { blocked: 'refused', billed: 'billed', contract: 'as agreed' } as const;

function Offers({ offers, current }: { offers: Offer[]; current: string | undefined }): ReactNode {
  return (
    <DataTable
      label="Plans"
      isPlain
      rows={offers}
      toKey={({ plan }) => plan}
      columns={[
        {
          title: 'Plan',
          cell: ({ plan, description }) => (
            <>
              <Text size="sm" fw={550}>
                {toTitle(plan)}
                {plan === current ? ' (yours)' : ''}
              </Text>
              <Text size="xs" c="dimmed">
                {description}
              </Text>
            </>
          ),
        },
        {
          title: 'Decisions a month',
          isEnd: true,
          cell: ({ monthlyLimit }) =>
            monthlyLimit === null ? 'Any number' : monthlyLimit.toLocaleString('en'),
        },
        { title: 'Beyond', cell: ({ overage }) => OVERAGES[overage] },
        {
          title: 'A month',
          isEnd: true,
          cell: (offer) => <Prices offer={offer} isCurrent={offer.plan === current} />,
        },
      ]}
    />
  );
}

const PERIODS = ['monthly', 'annual'] as const;

/** A price that is not configured is not offered. */
function Prices({ offer, isCurrent }: { offer: Offer; isCurrent: boolean }): ReactNode {
  const { plan, prices } = offer;
  const { mayManage } = useRights();
  const check = useChange({
    change: (planId: PlanId) =>
      readData(api.POST('/api/v1/billing/checkout', { body: { planId } })),
    onDone: ({ url }) => location.assign(url),
  });
  const priced = PERIODS.filter((period) => prices[period] !== null);
  if (priced.length === 0) return '—';
  return (
    <RowActions>
      {priced.map((period) => (
        <Group key={period} gap={6}>
          <Text size="sm">
            {prices[period]} € {period}
          </Text>
          {mayManage && !isCurrent && (
            <Button
              variant="default"
              size="xs"
              loading={check.isPending}
              onClick={() => check.mutate(`${plan}_${period}` as PlanId)}
            >
              Choose
            </Button>
          )}
        </Group>
      ))}
      {check.error && <Problem error={check.error} />}
    </RowActions>
  );
}
