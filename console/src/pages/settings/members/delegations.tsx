// Who decides in one's place while one is away, and in whose place one decides.
import { Group, Select, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, readData } from '../../../api/client.ts';
import { membersQuery } from '../../../api/shared-queries.ts';
import { ConfirmButton } from '../../../parts/forms/confirm-button.tsx';
import { PageForm } from '../../../parts/forms/form-dialog.tsx';
import { useChange } from '../../../parts/forms/use-change.ts';
import { Section } from '../../../parts/layout/section.tsx';
import { DataTable, RowActions } from '../../../parts/lists/data-table.tsx';
import { QueryView } from '../../../parts/states.tsx';
import { formatExact } from '../../../parts/time.tsx';
import { useRights, useSession } from '../../../session/session.ts';

const delegationsQuery = queryOptions({
  queryKey: ['delegations'],
  queryFn: () => readData(api.GET('/api/v1/team/delegations')),
});

const DECIDING = ['owner', 'admin', 'reviewer'];
const EMPTY = { delegateId: '', from: '', last: '' };

export function DelegationsSection(): ReactNode {
  const { mayDecide } = useRights();
  if (!mayDecide) return null;
  return (
    <Section
      title="While you are away"
      lead="Another member approves in your place where several have to approve."
    >
      <OpenDelegations />
      <DelegationForm />
    </Section>
  );
}

function DelegationForm(): ReactNode {
  const { user } = useSession();
  const { data: members = [] } = useQuery(membersQuery);
  const form = useForm({ initialValues: EMPTY });
  const make = useChange({
    change: ({ delegateId, from, last }: typeof EMPTY) => {
      const body = { delegateId, until: toMoment(last, 1), ...(from && { from: toMoment(from) }) };
      return readData(api.POST('/api/v1/team/delegations', { body }));
    },
    refresh: ['delegations'],
    note: 'The delegation is made',
    onDone: () => form.setValues(EMPTY),
  });
  const others = members.filter(
    ({ userId, role, isActive }) => userId !== user._id && isActive && DECIDING.includes(role),
  );
  return (
    <PageForm
      submitLabel="Have them decide"
      mutation={make}
      isChanged={form.values.delegateId !== '' && form.values.last !== ''}
      onSubmit={form.onSubmit((values) => make.mutate(values))}
    >
      <Group gap="xs" align="flex-start">
        <Select
          label="Who decides"
          searchable
          data={others.map(({ userId, name }) => ({ value: userId, label: name }))}
          {...form.getInputProps('delegateId')}
          flex="2 1 160px"
        />
        <TextInput
          type="date"
          label="First day"
          description="Empty: now"
          {...form.getInputProps('from')}
          flex="1 1 120px"
        />
        <TextInput type="date" label="Last day" {...form.getInputProps('last')} flex="1 1 120px" />
      </Group>
    </PageForm>
  );
}

/** The beginning of a day here, or of one as many days later. */
function toMoment(day: string, later = 0): string {
  const at = new Date(`${day}T00:00`);
  at.setDate(at.getDate() + later);
  return at.toISOString();
}

function OpenDelegations(): ReactNode {
  const { user } = useSession();
  const { mayManage } = useRights();
  const delegations = useQuery(delegationsQuery);
  const { data: members = [] } = useQuery(membersQuery);
  const toName = (id: string): string => members.find(({ userId }) => userId === id)?.name ?? id;
  const end = useChange({
    change: (id: string) =>
      readData(api.DELETE('/api/v1/team/delegations/{id}', { params: { path: { id } } })),
    refresh: ['delegations'],
    note: 'The delegation has ended',
  });
  return (
    <QueryView query={delegations}>
      {(found) =>
        found.length > 0 && (
          <DataTable
            label="Delegations"
            isPlain
            rows={found}
            toKey={({ id }) => id}
            columns={[
              { title: 'In the place of', cell: ({ userId }) => toName(userId) },
              { title: 'Decides', cell: ({ delegateId }) => toName(delegateId) },
              { title: 'From', cell: ({ from }) => formatExact(from) },
              { title: 'Until', cell: ({ until }) => formatExact(until) },
              {
                title: 'Actions',
                isTitleHidden: true,
                isEnd: true,
                cell: ({ id, userId, delegateId }) =>
                  (mayManage || userId === user._id) && (
                    <RowActions>
                      <ConfirmButton
                        label="End"
                        title={`End the delegation to ${toName(delegateId)}?`}
                        mutation={end}
                        onConfirm={() => end.mutateAsync(id)}
                      >
                        Approvals that were given in the place of {toName(userId)} stay.
                      </ConfirmButton>
                    </RowActions>
                  ),
              },
            ]}
          />
        )
      }
    </QueryView>
  );
}
