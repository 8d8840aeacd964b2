// What an agent runs on, as stated and as a bill of materials (CycloneDX ML-BOM) with its digest.
import { Autocomplete, Button, Group, Text, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, readData } from '../../api/client.ts';
import { DialogButton } from '../../parts/forms/dialog-button.tsx';
import { useChange } from '../../parts/forms/use-change.ts';
import { createMatch } from '../../parts/forms/changed-notice.tsx';
import { useStoredForm } from '../../parts/forms/use-stored-form.ts';
import { saveText } from '../../api/download.ts';
import { Facts } from '../../parts/layout/facts.tsx';
import { Section } from '../../parts/layout/section.tsx';
import { ShortHash } from '../../parts/text.tsx';
import { useRights } from '../../session/session.ts';
import { type Agent, createModelQuery } from './agent-queries.ts';

const FIELDS = [
  ['provider', 'Provider'],
  ['model', 'Model'],
  ['version', 'Version'],
  ['license', 'Licence'],
  ['riskClass', 'Risk class'],
  ['purpose', 'Purpose'],
  ['trainingDataSummary', 'Training data'],
] as const;
type Stated = Record<(typeof FIELDS)[number][0], string>;

export function AgentModel({ agent }: { agent: Agent }): ReactNode {
  const { mayManage } = useRights();
  const { data: material } = useQuery(createModelQuery(agent._id));
  const stated = agent.modelMetadata;
  const isStated = FIELDS.some(([name]) => stated?.[name]);
  return (
    <Section
      title="Model"
      lead="What the agent runs on. Its decisions name the digest, so that a change of model can be seen."
      actions={
        <>
          {material && (
            <Button
              variant="default"
              size="xs"
              onClick={() =>
                saveText(`${agent.name}.cdx.json`, JSON.stringify(material.data, null, 2))
              }
            >
              Download the ML-BOM
            </Button>
          )}
          {mayManage && <ModelDialog agent={agent} />}
        </>
      }
    >
      {isStated ? (
        <Facts
          items={[
            ...FIELDS.map(([name, label]) => [label, stated?.[name] ?? null] as const),
            [
              'Digest',
              material?.digest ? <ShortHash value={material.digest} label="digest" /> : null,
            ],
          ]}
        />
      ) : (
        <Text size="sm" c="dimmed">
          Nothing is stated yet.
        </Text>
      )}
    </Section>
  );
}

const RISKS = ['minimal', 'limited', 'high', 'unacceptable'];

function ModelDialog({ agent }: { agent: Agent }): ReactNode {
  const stated = agent.modelMetadata;
  const form = useStoredForm(
    Object.fromEntries(FIELDS.map(([name]) => [name, stated?.[name] ?? ''])) as Stated,
  );
  const save = useChange({
    change(values: Stated) {
      const named = Object.entries(values).filter(([, value]) => value !== '');
      const modelMetadata = {
        ...(stated?.datasets && { datasets: stated.datasets }),
        ...Object.fromEntries(named),
      };
      const params = { path: { id: agent._id } };
      return readData(
        api.PATCH('/api/v1/agents/{id}', {
          params,
          body: { modelMetadata },
          ...createMatch(agent),
        }),
      );
    },
    refresh: ['agents'],
    note: 'The model is stated',
    form,
  });
  return (
    <DialogButton
      label="State the model"
      title="What the agent runs on"
      submitLabel="State it"
      form={form}
      mutation={save}
    >
      <Group grow gap="sm">
        <TextInput label="Provider" data-autofocus {...form.getInputProps('provider')} />
        <TextInput label="Model" {...form.getInputProps('model')} />
      </Group>
      <Group grow gap="sm">
        <TextInput label="Version" {...form.getInputProps('version')} />
        <TextInput label="Licence" {...form.getInputProps('license')} />
      </Group>
      <Autocomplete label="Risk class" data={RISKS} {...form.getInputProps('riskClass')} />
      <Textarea label="Purpose" autosize minRows={2} {...form.getInputProps('purpose')} />
      <Textarea
        label="Training data"
        autosize
        minRows={2}
        {...form.getInputProps('trainingDataSummary')}
      />
    </DialogButton>
  );
}
