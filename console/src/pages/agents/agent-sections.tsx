// What an agent may do, its keys, how it is guarded, what it runs on, its name and its removal.
import { Code, Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { api, readData } from '../../api/client.ts';
import { ConfirmButton } from '../../parts/forms/confirm-button.tsx';
import { PageForm } from '../../parts/forms/form-dialog.tsx';
import { ShownOnce } from '../../parts/forms/shown-once.tsx';
import { useChange } from '../../parts/forms/use-change.ts';
import { createMatch } from '../../parts/forms/changed-notice.tsx';
import { useStoredForm } from '../../parts/forms/use-stored-form.ts';
import { Section } from '../../parts/layout/section.tsx';
import { WayTabs } from '../../parts/way-tabs.tsx';
import { useRights } from '../../session/session.ts';
import { AgentLimits } from './agent-limits.tsx';
import { AgentModel } from './agent-model.tsx';
import type { Agent } from './agent-queries.ts';
import { DescriptionField } from './description-field.tsx';
import { AgentTrusts } from './trusts/agent-trusts.tsx';
import { Versions } from './versions.tsx';

const toPath = ({ _id: id }: Agent) => ({ params: { path: { id } } });

/** Loaded behind what the agent did. */
export function AgentSections({ agent }: { agent: Agent }): ReactNode {
  const { mayManage } = useRights();
  return (
    <>
      <AgentLimits agent={agent} />
      <KeySection agent={agent} />
      <AgentTrusts agent={agent} />
      <Section title="Guard it" lead="Lines that make this agent ask before it acts.">
        <WayTabs target={{ key: null, agent: agent.name, tool: 'my_tool' }} />
      </Section>
      <AgentModel agent={agent} />
      <Versions agentId={agent._id} />
      {mayManage && <DetailsForm agent={agent} />}
      {mayManage && <RemovalSection agent={agent} />}
    </>
  );
}

function KeySection({ agent }: { agent: Agent }): ReactNode {
  const { mayManage } = useRights();
  const [key, setKey] = useState<string | null>(null);
  const replace = useChange({
    change: () => readData(api.POST('/api/v1/agents/{id}/regenerate-key', toPath(agent))),
    refresh: ['agents'],
    onDone: ({ apiKey }) => setKey(apiKey),
  });
  return (
    <Section
      title="Key"
      lead={
        <>
          The agent presents a key that ends in <Code>{agent.apiKeyPrefix}</Code>. It posts
          decisions of this agent, and nothing else.
        </>
      }
      actions={
        mayManage && (
          <ConfirmButton
            label="Replace the key"
            title="Replace the key?"
            mutation={replace}
            onConfirm={() => replace.mutateAsync()}
            isDangerous
          >
            The present key stops working at once. The agent is refused until it has the new one.
          </ConfirmButton>
        )
      }
    >
      <ShownOnce
        title={`New key of ${agent.name}`}
        label="key"
        secret={key}
        onClose={() => setKey(null)}
      />
    </Section>
  );
}

function DetailsForm({ agent }: { agent: Agent }): ReactNode {
  const { name, description } = agent;
  const form = useStoredForm({ name, description });
  const save = useChange({
    change: (body: typeof form.values) =>
      readData(api.PATCH('/api/v1/agents/{id}', { ...toPath(agent), body, ...createMatch(agent) })),
    refresh: ['agents'],
    note: 'The name is saved',
    form,
  });
  return (
    <Section title="Name">
      <PageForm
        form={form}
        mutation={save}
        isChanged={form.isDirty()}
        onSubmit={form.onSubmit((values) => save.mutate(values))}
      >
        <TextInput label="Name" required maxLength={100} {...form.getInputProps('name')} />
        <DescriptionField {...form.getInputProps('description')} />
      </PageForm>
    </Section>
  );
}

function RemovalSection({ agent }: { agent: Agent }): ReactNode {
  const navigate = useNavigate();
  const remove = useChange({
    change: () => readData(api.DELETE('/api/v1/agents/{id}', toPath(agent))),
    note: `${agent.name} is removed`,
    onDone: () => void navigate({ to: '/agents' }),
    refresh: [],
  });
  return (
    <Section
      title="Remove it"
      lead="Its decisions stay on the record."
      actions={
        <ConfirmButton
          label="Remove the agent"
          title={`Remove ${agent.name}?`}
          mutation={remove}
          onConfirm={() => remove.mutateAsync()}
          isDangerous
        >
          <Text size="sm">
            Its key stops working at once. Decisions that it made stay, sealed as they are.
          </Text>
        </ConfirmButton>
      }
    />
  );
}
