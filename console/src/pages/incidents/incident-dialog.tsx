// Opens an incident: what happened, when it was noticed, and whose clocks run.
import { Box, Checkbox, Group, Select, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, readData } from '../../api/client.ts';
import { FormDialog } from '../../parts/forms/form-dialog.tsx';
import { useChange } from '../../parts/forms/use-change.ts';
import { NamedDecisions, splitIds } from '../../parts/record/named-decisions.tsx';
import {
  CATEGORY_NAMES,
  type Incident,
  REGULATOR_NAMES,
  REGULATORS,
  type Regulator,
  SEVERITIES,
  toChoices,
} from './incident-texts.ts';

interface Values {
  title: string;
  summary: string;
  severity: Incident['severity'];
  category: Incident['category'];
  detectedAt: string;
  regulators: string[];
  traceIds: string;
}

/** The present as an input of date and time takes it: local, to the minute. */
function formatLocalNow(): string {
  const now = new Date();
  const local = new Date(now.getTime() - now.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

const createValues = (about: string): Values => ({
  title: '',
  summary: '',
  severity: 'medium',
  category: 'other',
  detectedAt: formatLocalNow(),
  regulators: [],
  traceIds: about,
});

function toInput({ regulators, traceIds, detectedAt, ...rest }: Values) {
  return {
    ...rest,
    detectedAt: new Date(detectedAt).toISOString(),
    regulators: regulators.map((code) => ({ code: code as Regulator })),
    triggerTraceIds: splitIds(traceIds),
  };
}

interface Props {
  /** The id of a decision. */
  about: string | undefined;
  isOpen: boolean;
  onClose: () => void;
}

export function IncidentDialog({ about = '', isOpen, onClose }: Props): ReactNode {
  const navigate = useNavigate();
  const form = useForm<Values>({
    initialValues: createValues(about),
    validate: {
      detectedAt: (at) => (Number.isNaN(Date.parse(at)) ? 'Enter a date and a time' : null),
    },
  });
  const open = useChange({
    change: (values: Values) => readData(api.POST('/api/v1/incidents', { body: toInput(values) })),
    refresh: ['incidents'],
    form,
    onDone: ({ _id: incidentId }) =>
      void navigate({ to: '/incidents/$incidentId', params: { incidentId } }),
  });
  return (
    <FormDialog
      isOpen={isOpen}
      isLarge
      title="Open an incident"
      submitLabel="Open it"
      mutation={open}
      onClose={onClose}
      onSubmit={form.onSubmit((values) => open.mutate(values))}
    >
      <TextInput label="Title" required data-autofocus {...form.getInputProps('title')} />
      <Textarea label="What happened" autosize minRows={3} {...form.getInputProps('summary')} />
      <Group grow gap="sm" preventGrowOverflow={false}>
        <Select
          label="Severity"
          allowDeselect={false}
          data={toChoices(SEVERITIES)}
          {...form.getInputProps('severity')}
        />
        <Select
          label="Kind"
          allowDeselect={false}
          data={Object.entries(CATEGORY_NAMES).map(([value, label]) => ({ value, label }))}
          {...form.getInputProps('category')}
        />
      </Group>
      <TextInput
        type="datetime-local"
        label="Detected"
        description="The clocks begin here"
        required
        {...form.getInputProps('detectedAt')}
      />
      <Checkbox.Group label="Who has to be notified" {...form.getInputProps('regulators')}>
        <Box mt={4} className="choices">
          {REGULATORS.map((code) => (
            <Checkbox key={code} value={code} label={REGULATOR_NAMES[code]} />
          ))}
        </Box>
      </Checkbox.Group>
      <TextInput
        label="Decisions that it is about"
        description="Their ids, separated by spaces"
        {...form.getInputProps('traceIds')}
      />
      <NamedDecisions label="Named decisions" ids={splitIds(form.values.traceIds)} />
    </FormDialog>
  );
}
