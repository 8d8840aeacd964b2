// Pauses an agent with a reason, and lets it go on; says what a pause does while it lasts.
import { Alert, Text, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, readData } from '../../api/client.ts';
import { membersQuery } from '../../api/shared-queries.ts';
import { ConfirmButton } from '../../parts/forms/confirm-button.tsx';
import { DialogButton } from '../../parts/forms/dialog-button.tsx';
import { useChange } from '../../parts/forms/use-change.ts';
import { markInvisible } from '../../parts/text.tsx';
import { formatExact } from '../../parts/time.tsx';
import { useRights } from '../../session/session.ts';
import type { Agent } from './agent-queries.ts';

const toPath = ({ _id: id }: Agent) => ({ params: { path: { id } } });

export function PauseButton({ agent }: { agent: Agent }): ReactNode {
  const { mayManage } = useRights();
  if (!mayManage) return null;
  return agent.paused ? <Resume agent={agent} /> : <Pause agent={agent} />;
}

function Pause({ agent }: { agent: Agent }): ReactNode {
  const form = useForm({
    initialValues: { reason: '' },
    validate: {
      reason: (text) => (text.trim() === '' ? 'Say why: the agent gets it as the reason' : null),
    },
  });
  const pause = useChange({
    change: (body: { reason: string }) =>
      readData(api.POST('/api/v1/agents/{id}/pause', { ...toPath(agent), body })),
    refresh: ['agents'],
    note: `${agent.name} is paused`,
    form,
  });
  return (
    <DialogButton
      label="Pause"
      title={`Pause ${agent.name}?`}
      submitLabel="Pause the agent"
      form={form}
      mutation={pause}
      isDangerous
    >
      <Text size="sm">
        From the next decision on, all that it asks for is blocked and stays on record. What was
        approved and has not begun does not begin. What runs already is not stopped.
      </Text>
      <Textarea
        label="Reason"
        description="The agent gets it, and it stands in the audit log"
        required
        autosize
        minRows={2}
        maxLength={500}
        data-autofocus
        {...form.getInputProps('reason')}
      />
    </DialogButton>
  );
}

function Resume({ agent }: { agent: Agent }): ReactNode {
  const resume = useChange({
    change: () => readData(api.POST('/api/v1/agents/{id}/resume', { ...toPath(agent), body: {} })),
    refresh: ['agents'],
    note: `${agent.name} goes on`,
  });
  return (
    <ConfirmButton
      label="Resume"
      title={`Let ${agent.name} go on?`}
      mutation={resume}
      onConfirm={() => resume.mutateAsync()}
    >
      The policies judge its next decision again. What was blocked stays blocked.
    </ConfirmButton>
  );
}

/** Shown while the agent is paused. */
export function PauseNote({ agent: { paused } }: { agent: Agent }): ReactNode {
  const { data: members = [] } = useQuery(membersQuery);
  if (!paused) return null;
  const by = members.find(({ userId }) => userId === paused.by)?.name;
  return (
    <Alert variant="outline" color="red" title="It is paused: all its decisions are blocked">
      <Text size="sm" className="stored-text">
        {markInvisible(paused.reason)}
      </Text>
      <Text size="xs" c="dimmed" mt={4}>
        {by !== undefined && `${by}, `}
        {formatExact(paused.at)}
      </Text>
    </Alert>
  );
}
