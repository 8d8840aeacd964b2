// The questions of an impact assessment, saved together.
import { Button, Paper, Select, SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import type { ReactNode } from 'react';
import { api, readData } from '../../api/client.ts';
import { PageForm } from '../../parts/forms/form-dialog.tsx';
import { useChange } from '../../parts/forms/use-change.ts';
import { Section } from '../../parts/layout/section.tsx';
import { toTitle } from '../../parts/words.ts';
import { type Assessment, LEVELS, type Risk, type TextName, TEXTS } from './assessment-texts.ts';

type RiskValues = Omit<Risk, 'description' | 'mitigation'> & {
  description: string;
  mitigation: string;
};
type Values = Record<TextName, string> & { systemName: string; identifiedRisks: RiskValues[] };
type Form = UseFormReturnType<Values>;

const toRiskValues = (risk: Risk): RiskValues => ({
  ...risk,
  description: risk.description ?? '',
  mitigation: risk.mitigation ?? '',
});

function toValues(assessment: Assessment): Values {
  const texts = Object.fromEntries(TEXTS.map(([name]) => [name, assessment[name] ?? ''])) as Record<
    TextName,
    string
  >;
  const { systemName, identifiedRisks } = assessment;
  return { ...texts, systemName, identifiedRisks: identifiedRisks.map(toRiskValues) };
}

export function AssessmentForm({ assessment }: { assessment: Assessment }): ReactNode {
  const form = useForm<Values>({ initialValues: toValues(assessment) });
  const save = useChange({
    change: (body: Values) => {
      const params = { path: { id: assessment._id } };
      return readData(api.PATCH('/api/v1/fria/{id}', { params, body }));
    },
    refresh: ['assessments'],
    note: 'The assessment is saved',
    form,
  });
  return (
    <Section title="Questions">
      <PageForm
        mutation={save}
        isChanged={form.isDirty()}
        onSubmit={form.onSubmit((values) => save.mutate(values))}
      >
        <TextInput label="Name of the system" required {...form.getInputProps('systemName')} />
        {TEXTS.map(([name, label, description]) => (
          <Textarea
            key={name}
            label={label}
            description={description}
            autosize
            minRows={2}
            maxLength={10_000}
            {...form.getInputProps(name)}
          />
        ))}
        <Risks form={form} />
      </PageForm>
    </Section>
  );
}

const NEW_RISK: RiskValues = {
  title: '',
  description: '',
  likelihood: 'medium',
  severity: 'medium',
  affectedRights: [],
  mitigation: '',
  residualRisk: 'low',
};

function Risks({ form }: { form: Form }): ReactNode {
  const { identifiedRisks } = form.values;
  return (
    <Stack gap="sm" role="group" aria-label="Risks">
      {identifiedRisks.map((_, at) => (
        <RiskFields key={at} form={form} at={at} />
      ))}
      <Button
        variant="default"
        size="xs"
        w="fit-content"
        onClick={() => form.insertListItem('identifiedRisks', NEW_RISK)}
      >
        Add a risk
      </Button>
    </Stack>
  );
}

function RiskFields({ form, at }: { form: Form; at: number }): ReactNode {
  const toProps = (name: keyof RiskValues) => form.getInputProps(`identifiedRisks.${at}.${name}`);
  const levels = LEVELS.map((value) => ({ value, label: toTitle(value) }));
  return (
    <Paper p="sm">
      <Stack gap="xs">
        <TextInput label={`Risk ${at + 1}`} required {...toProps('title')} />
        <Textarea label="Description" autosize minRows={2} {...toProps('description')} />
        <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="xs">
          <Select
            label="Likelihood"
            allowDeselect={false}
            data={levels}
            {...toProps('likelihood')}
          />
          <Select label="Severity" allowDeselect={false} data={levels} {...toProps('severity')} />
          <Select
            label="Residual risk"
            allowDeselect={false}
            data={levels}
            {...toProps('residualRisk')}
          />
        </SimpleGrid>
        <Textarea label="Mitigation" autosize minRows={2} {...toProps('mitigation')} />
        <Button
          variant="default"
          size="xs"
          w="fit-content"
          onClick={() => form.removeListItem('identifiedRisks', at)}
        >
          Remove risk {at + 1}
        </Button>
      </Stack>
    </Paper>
  );
}
