// What an agent may do: the overrides of the organisation's ways for this one.
import { NumberInput, Switch } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import { api, readData } from '../../api/client.ts';
import { PageForm } from '../../parts/forms/form-dialog.tsx';
import { useChange } from '../../parts/forms/use-change.ts';
import { Facts } from '../../parts/layout/facts.tsx';
import { Section } from '../../parts/layout/section.tsx';
import { useRights } from '../../session/session.ts';
import type { Agent } from './agent-queries.ts';

type Limits = Agent['policies'];

const SWITCHES = [
  ['strictMode', 'Strict', 'Higher confidence is asked for'],
  ['autoBlockAnomalies', 'Block anomalies', 'What the engine finds unusual is blocked'],
  ['piiMasking', 'Mask personal data', 'A second pass over what is kept'],
  ['logPayloads', 'Keep contents', 'Inputs and outputs are kept, scrubbed of personal data'],
] as const;

export function AgentLimits({ agent }: { agent: Agent }): ReactNode {
  const { mayManage } = useRights();
  return (
    <Section title="Limits" lead="What holds for this agent beside the policies.">
      {mayManage ? <LimitsForm agent={agent} /> : <LimitsFacts limits={agent.policies} />}
    </Section>
  );
}

function LimitsFacts({ limits }: { limits: Limits }): ReactNode {
  const rows = SWITCHES.map(([name, label]) => [label, limits[name] ? 'On' : 'Off'] as const);
  return (
    <Facts
      items={[
        ...rows,
        ['Confidence at least', limits.confidenceThreshold.toFixed(2)],
        ['Decisions a minute', limits.maxRequestsPerMinute ?? 'Any number'],
        ['Time for a verdict', `${limits.timeoutMs.toLocaleString('en')} ms`],
      ]}
    />
  );
}

function LimitsForm({ agent }: { agent: Agent }): ReactNode {
  const { maxRequestsPerMinute, ...rest } = agent.policies;
  const form = useForm({
    initialValues: { ...rest, maxRequestsPerMinute: maxRequestsPerMinute ?? ('' as number | '') },
  });
  const save = useChange({
    change: ({ maxRequestsPerMinute: limit, ...values }: typeof form.values) =>
      readData(
        api.PATCH('/api/v1/agents/{id}/policies', {
          params: { path: { id: agent._id } },
          body: { ...values, maxRequestsPerMinute: limit === '' ? null : limit },
        }),
      ),
    refresh: ['agents'],
    note: 'The limits are saved',
    form,
  });
  return (
    <PageForm
      mutation={save}
      isChanged={form.isDirty()}
      onSubmit={form.onSubmit((values) => save.mutate(values))}
    >
      {SWITCHES.map(([name, label, description]) => (
        <Switch
          key={name}
          label={label}
          description={description}
          {...form.getInputProps(name, { type: 'checkbox' })}
        />
      ))}
      <NumberInput
        label="Confidence at least"
        description="Decisions below it are held"
        min={0}
        max={1}
        step={0.05}
        decimalScale={2}
        {...form.getInputProps('confidenceThreshold')}
      />
      <NumberInput
        label="Decisions a minute"
        description="Empty: any number"
        min={1}
        max={1_000_000}
        allowDecimal={false}
        {...form.getInputProps('maxRequestsPerMinute')}
      />
      <NumberInput
        label="Milliseconds for a verdict"
        min={100}
        max={60_000}
        allowDecimal={false}
        {...form.getInputProps('timeoutMs')}
      />
    </PageForm>
  );
}
