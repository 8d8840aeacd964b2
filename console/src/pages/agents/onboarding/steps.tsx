// The three steps of setting up an agent; each is kept, so that another day or device can go on.
import { Button, Group, Modal, Stack, Stepper, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type ReactNode, useState } from 'react';
import { api, readData } from '../../../api/client.ts';
import { useChange } from '../../../parts/forms/use-change.ts';
import { Problem } from '../../../parts/states.tsx';
import { WayTabs } from '../../../parts/way-tabs.tsx';
import type { Agent } from '../agent-queries.ts';
import { DescriptionField } from '../description-field.tsx';

type Values = Record<'description' | 'provider' | 'model' | 'version', string>;

const LAST = 3;

/** What was entered before wins over what the agent has. */
function toValues({ description, modelMetadata, onboardingProgress }: Agent): Values {
  const kept = (onboardingProgress?.data ?? {}) as Readonly<Record<string, unknown>>;
  const known = { description, ...modelMetadata } as Partial<Values>;
  const readValue = (name: keyof Values): string => String(kept[name] ?? known[name] ?? '');
  return {
    description: readValue('description'),
    provider: readValue('provider'),
    model: readValue('model'),
    version: readValue('version'),
  };
}

function useSteps(agent: Agent, onDone: () => void) {
  const params = { path: { id: agent._id } };
  const keep = useChange({
    change: (body: { currentStep: number; data: Values }) =>
      readData(api.PATCH('/api/v1/agents/{id}/onboarding', { params, body })),
    refresh: ['agents'],
  });
  const finish = useChange({
    async change({ description, ...stated }: Values) {
      const named = Object.entries(stated).filter(([, value]) => value !== '');
      const modelMetadata = { ...agent.modelMetadata, ...Object.fromEntries(named) };
      const body = { description, modelMetadata };
      await readData(api.PATCH('/api/v1/agents/{id}', { params, body }));
      return readData(api.POST('/api/v1/agents/{id}/onboarding/complete', { params }));
    },
    refresh: ['agents'],
    note: `${agent.name} is set up`,
    onDone,
  });
  return { keep, finish };
}

export function StepsButton({ agent }: { agent: Agent }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setOpen(true)}>
        Go on
      </Button>
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={`Set up ${agent.name}`}
        size="lg"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Steps agent={agent} onDone={() => setOpen(false)} />
      </Modal>
    </>
  );
}

function Steps({ agent, onDone }: { agent: Agent; onDone: () => void }): ReactNode {
  const [step, setStep] = useState(agent.onboardingProgress?.currentStep ?? 1);
  const form = useForm<Values>({ initialValues: toValues(agent) });
  const { keep, finish } = useSteps(agent, onDone);
  function openStep(next: number): void {
    const body = { currentStep: next, data: form.getValues() };
    keep.mutate(body, { onSuccess: () => setStep(next) });
  }
  const error = keep.error ?? finish.error;
  return (
    <form
      onSubmit={form.onSubmit((values) =>
        step === LAST ? finish.mutate(values) : openStep(step + 1),
      )}
    >
      <Stack gap="md">
        <Stepper active={step - 1} size="sm" iconSize={28}>
          <Stepper.Step label="What it does" allowStepSelect={false}>
            <DescriptionField {...form.getInputProps('description')} />
          </Stepper.Step>
          <Stepper.Step label="What it runs on" allowStepSelect={false}>
            <Stack gap="sm">
              <TextInput label="Provider" {...form.getInputProps('provider')} />
              <TextInput label="Model" {...form.getInputProps('model')} />
              <TextInput label="Version" {...form.getInputProps('version')} />
            </Stack>
          </Stepper.Step>
          <Stepper.Step label="How it asks" allowStepSelect={false}>
            <WayTabs target={{ key: null, agent: agent.name, tool: 'my_tool' }} />
          </Stepper.Step>
        </Stepper>
        {error && <Problem error={error} />}
        <Group justify="flex-end" gap="xs">
          {step > 1 && (
            <Button variant="default" onClick={() => openStep(step - 1)}>
              Back
            </Button>
          )}
          <Button type="submit" loading={keep.isPending || finish.isPending}>
            {step === LAST ? 'Finish' : 'Continue'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
