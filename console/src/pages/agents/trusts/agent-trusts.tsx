// Which workloads may act as an agent without its key: a list, a form for one more, and an end for each.
import { Code, Group, Stack, Switch, TagsInput, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, readData } from '../../../api/client.ts';
import type { components } from '../../../api/schema.gen.d.ts';
import { ConfirmButton } from '../../../parts/forms/confirm-button.tsx';
import { DialogButton } from '../../../parts/forms/dialog-button.tsx';
import { useChange } from '../../../parts/forms/use-change.ts';
import { Section } from '../../../parts/layout/section.tsx';
import { QueryView } from '../../../parts/states.tsx';
import { markInvisible } from '../../../parts/text.tsx';
import { useRights } from '../../../session/session.ts';
import type { Agent } from '../agent-queries.ts';

type Trust = components['schemas']['AgentTrust'];

const createTrustsQuery = (id: string) =>
  queryOptions({
    queryKey: ['agents', 'trusts', id],
    queryFn: () => readData(api.GET('/api/v1/agents/{id}/trusts', { params: { path: { id } } })),
  });

export function AgentTrusts({ agent }: { agent: Agent }): ReactNode {
  const { mayManage } = useRights();
  const trusts = useQuery(createTrustsQuery(agent._id));
  return (
    <Section
      title="Without a key"
      lead="Workloads that prove by a token of their platform what they are, and act as this agent for 15 minutes each."
      actions={mayManage && <AddTrust agent={agent} />}
    >
      <QueryView query={trusts}>
        {(found) =>
          found.length === 0 ? (
            <Text size="sm" c="dimmed">
              None: it acts by its key alone.
            </Text>
          ) : (
            <Stack gap="md">
              {found.map((trust) => (
                <TrustRow key={trust._id} agent={agent} trust={trust} />
              ))}
            </Stack>
          )
        }
      </QueryView>
    </Section>
  );
}

const formatExpected = (expected: unknown): string =>
  typeof expected === 'object' && expected !== null
    ? `matches ${(expected as { pattern: string }).pattern}`
    : String(expected);

function TrustRow({ agent, trust }: { agent: Agent; trust: Trust }): ReactNode {
  const { mayManage } = useRights();
  const end = useChange({
    change: () => {
      const path = { id: agent._id, trustId: trust._id };
      return readData(api.DELETE('/api/v1/agents/{id}/trusts/{trustId}', { params: { path } }));
    },
    refresh: ['agents'],
    note: 'The trust has ended',
  });
  const asked = [['sub', trust.subject] as const, ...Object.entries(trust.claims)];
  const { tools } = trust.grant ?? {};
  return (
    <Group justify="space-between" align="flex-start" gap="sm">
      <Stack gap={2} miw={0} flex="1 1 240px">
        <Text size="sm" fw={600} className="stored-text">
          {markInvisible(trust.issuer)}
        </Text>
        {asked.map(([name, expected]) => (
          <Text key={name} size="sm" className="stored-text">
            <Code>{markInvisible(name)}</Code> {markInvisible(formatExpected(expected))}
          </Text>
        ))}
        {tools && (
          <Text size="sm" c="dimmed" className="stored-text">
            Only {markInvisible(tools.join(', '))}
          </Text>
        )}
      </Stack>
      {mayManage && (
        <ConfirmButton
          label="End it"
          title="End this trust?"
          mutation={end}
          onConfirm={() => end.mutateAsync()}
          isDangerous
        >
          Its workloads get no further tokens, and those that they have stop working at once.
        </ConfirmButton>
      )}
    </Group>
  );
}

const EMPTY = { issuer: '', subject: '', isPattern: false, once: true, tools: [] as string[] };

function AddTrust({ agent }: { agent: Agent }): ReactNode {
  const form = useForm({ initialValues: EMPTY });
  const add = useChange({
    change: ({ issuer, subject, isPattern, once, tools }: typeof EMPTY) => {
      const params = { path: { id: agent._id } };
      const body = {
        issuer,
        subject: isPattern ? { pattern: subject } : subject,
        once,
        ...(tools.length > 0 && { grant: { tools } }),
      };
      return readData(api.POST('/api/v1/agents/{id}/trusts', { params, body }));
    },
    refresh: ['agents'],
    note: 'The workload is trusted',
    form,
  });
  return (
    <DialogButton
      label="Trust a workload"
      title={`Who may act as ${agent.name}?`}
      submitLabel="Trust it"
      form={form}
      mutation={add}
    >
      <TextInput
        label="Issuer"
        description="The claim iss of its tokens; its keys are read from there"
        placeholder="https://issuer.example.com"
        required
        maxLength={255}
        data-autofocus
        {...form.getInputProps('issuer')}
      />
      <TextInput
        label="Subject"
        description="The claim sub, such as repo:owner/name:environment:production"
        required
        maxLength={1000}
        {...form.getInputProps('subject')}
      />
      <Switch
        label="The subject is a pattern (RE2) of the whole text"
        {...form.getInputProps('isPattern', { type: 'checkbox' })}
      />
      <Switch
        label="Each token counts once"
        description="Off for platforms that keep a token in a file, such as Kubernetes"
        {...form.getInputProps('once', { type: 'checkbox' })}
      />
      <TagsInput
        label="Tools"
        description="What it may call at most; none: whatever the policies allow"
        maxTags={200}
        {...form.getInputProps('tools')}
      />
      <Text size="sm" c="dimmed">
        Further claims and keys of your own are set over the API.
      </Text>
    </DialogButton>
  );
}
