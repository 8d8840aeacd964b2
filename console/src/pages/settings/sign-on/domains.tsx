// E-mail domains whose people are sent to the provider, each proved by a record of the domain name system.
import { Button, Code, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, readData } from '../../../api/client.ts';
import type { components } from '../../../api/schema.gen.d.ts';
import { ConfirmButton } from '../../../parts/forms/confirm-button.tsx';
import { DialogButton } from '../../../parts/forms/dialog-button.tsx';
import { useChange } from '../../../parts/forms/use-change.ts';
import { Section } from '../../../parts/layout/section.tsx';
import { DataTable, RowActions } from '../../../parts/lists/data-table.tsx';
import { Problem, QueryView } from '../../../parts/states.tsx';
import { Sign } from '../../../parts/verdict.tsx';
import { useRights } from '../../../session/session.ts';

type Domain = components['schemas']['SignOnDomain'];
const refresh = ['domains'];

export function Domains(): ReactNode {
  const domains = useQuery({
    queryKey: refresh,
    queryFn: () => readData(api.GET('/api/v1/organization/sso/domains')),
  });
  const { isOwner } = useRights();
  return (
    <Section
      title="Domains"
      lead="Who enters an address of a verified domain is sent to your provider."
      actions={isOwner && <ClaimButton />}
    >
      <QueryView query={domains}>
        {(found) =>
          found.length === 0 ? (
            <Text size="sm" c="dimmed">
              None yet.
            </Text>
          ) : (
            <DomainTable domains={found} />
          )
        }
      </QueryView>
    </Section>
  );
}

function DomainTable({ domains }: { domains: readonly Domain[] }): ReactNode {
  const { isOwner } = useRights();
  return (
    <DataTable
      label="Domains"
      isPlain
      rows={domains}
      toKey={({ _id }) => _id}
      columns={[
        { title: 'Domain', cell: ({ domain }) => domain },
        {
          title: 'State',
          cell: ({ status }) => (
            <Sign tone={status === 'verified' ? 'good' : 'warning'}>
              {status === 'verified' ? 'Verified' : 'Claimed'}
            </Sign>
          ),
        },
        {
          title: 'Record to publish',
          cell: ({ record }) => (
            <Stack gap={2}>
              <Code className="stored-text">{`${record.name} ${record.type}`}</Code>
              <Code className="stored-text">{record.value}</Code>
            </Stack>
          ),
        },
        ...(isOwner
          ? [
              {
                title: 'Actions',
                isTitleHidden: true,
                isEnd: true,
                cell: (domain: Domain) => <Actions domain={domain} />,
              },
            ]
          : []),
      ]}
    />
  );
}

function Actions({ domain: { _id: id, domain, status } }: { domain: Domain }): ReactNode {
  const params = { path: { id } };
  const verify = useChange({
    change: () => readData(api.POST('/api/v1/organization/sso/domains/{id}/verify', { params })),
    refresh,
    note: `${domain} is verified`,
  });
  const remove = useChange({
    change: () => readData(api.DELETE('/api/v1/organization/sso/domains/{id}', { params })),
    refresh,
  });
  return (
    <RowActions>
      {status === 'claimed' && (
        <Button
          variant="default"
          size="xs"
          loading={verify.isPending}
          onClick={() => verify.mutate()}
          aria-label={`Verify ${domain}`}
        >
          Verify
        </Button>
      )}
      <ConfirmButton
        label="Remove"
        title={`Remove ${domain}?`}
        mutation={remove}
        onConfirm={() => remove.mutateAsync()}
        isDangerous
        buttonProps={{ 'aria-label': `Remove ${domain}` }}
      >
        Its people are no longer sent to your provider.
      </ConfirmButton>
      {verify.error && <Problem error={verify.error} />}
    </RowActions>
  );
}

function ClaimButton(): ReactNode {
  const form = useForm({ initialValues: { domain: '' } });
  const claim = useChange({
    change: (body: { domain: string }) =>
      readData(api.POST('/api/v1/organization/sso/domains', { body })),
    refresh,
    form,
  });
  return (
    <DialogButton
      label="Claim a domain"
      title="Claim a domain"
      submitLabel="Claim it"
      form={form}
      mutation={claim}
    >
      <TextInput
        label="Domain"
        description="Of e-mail addresses, such as example.com"
        required
        data-autofocus
        {...form.getInputProps('domain')}
      />
    </DialogButton>
  );
}
