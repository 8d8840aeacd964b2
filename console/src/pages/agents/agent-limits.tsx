// What an agent may do: the overrides of the organisation's ways for this one.
import { NumberInput, Switch } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { api, readData } from '../../api/client.ts';
import { ConfirmDialog } from '../../parts/forms/confirm-button.tsx';
import { PageForm } from '../../parts/forms/form-dialog.tsx';
import { useChange } from '../../parts/forms/use-change.ts';
import { createMatch } from '../../parts/forms/changed-notice.tsx';
import { useStoredForm } from '../../parts/forms/use-stored-form.ts';
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
        ['Decisions per minute', limits.maxRequestsPerMinute ?? 'Any number'],
        ['Time for a verdict', `${limits.timeoutMs.toLocaleString('en')} ms`],
      ]}
    />
  );
}

type LimitValues = Omit<Limits, 'maxRequestsPerMinute'> & { maxRequestsPerMinute: number | '' };

/** Whether something is protected less than before. */
function isWeaker(next: LimitValues, before: Limits): boolean {
  const toNumber = (limit: number | '' | null): number => limit || Infinity;
  return (
    (['strictMode', 'autoBlockAnomalies', 'piiMasking'] as const).some(
      (name) => before[name] && !next[name],
    ) ||
    next.confidenceThreshold < before.confidenceThreshold ||
    toNumber(next.maxRequestsPerMinute) > toNumber(before.maxRequestsPerMinute)
  );
}

function LimitsForm({ agent }: { agent: Agent }): ReactNode {
  const { maxRequestsPerMinute, ...rest } = agent.policies;
  const form = useStoredForm({
    ...rest,
    maxRequestsPerMinute: maxRequestsPerMinute ?? ('' as number | ''),
  });
  const save = useChange({
    change: ({ maxRequestsPerMinute: limit, ...values }: typeof form.values) =>
      readData(
        api.PATCH('/api/v1/agents/{id}/policies', {
          params: { path: { id: agent._id } },
          ...createMatch(agent),
          body: { ...values, maxRequestsPerMinute: limit === '' ? null : limit },
        }),
      ),
    refresh: ['agents'],
    note: 'The limits are saved',
    form,
  });
  const [asked, setAsked] = useState<typeof form.values | null>(null);
  return (
    <PageForm
      form={form}
      mutation={save}
      isChanged={form.isDirty()}
      onSubmit={form.onSubmit((values) =>
        isWeaker(values, agent.policies) ? setAsked(values) : save.mutate(values),
      )}
    >
      <ConfirmDialog
        isOpen={asked !== null}
        title="Watch the agent less strictly?"
        confirmLabel="Save the limits"
        mutation={save}
        onConfirm={async () => asked && save.mutateAsync(asked)}
        onClose={() => setAsked(null)}
        isDangerous
      >
        From the next decision, what these limits hold, block, mask or refuse today may pass.
      </ConfirmDialog>
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
        label="Decisions per minute"
        description="Empty: any number"
        min={1}
        max={1_000_000}
        allowDecimal={false}
        {...form.getInputProps('maxRequestsPerMinute')}
      />
      <NumberInput
        label="Time for a verdict (ms)"
        min={100}
        max={60_000}
        allowDecimal={false}
        {...form.getInputProps('timeoutMs')}
      />
    </PageForm>
  );
}
