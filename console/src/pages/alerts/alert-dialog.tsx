// Makes or changes an alert rule.
import { Button, Group, NumberInput, Select, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, readData } from '../../api/client.ts';
import { agentsQuery, membersQuery } from '../../api/shared-queries.ts';
import { FormDialog } from '../../parts/forms/form-dialog.tsx';
import { useChange } from '../../parts/forms/use-change.ts';
import { createMatch } from '../../parts/forms/changed-notice.tsx';
import { useStoredForm } from '../../parts/forms/use-stored-form.ts';
import { describeVerdict } from '../../parts/verdict.tsx';
import {
  ACTIONS,
  type Alert,
  type AlertInput,
  type Field,
  FIELDS,
  findMeasure,
  OPERATORS,
  type Severity,
  toPercent,
  VERDICTS,
} from './alert-texts.ts';

interface Props {
  edited: Alert | 'new' | null;
  onClose: () => void;
}

interface Values {
  name: string;
  description: string;
  severity: Severity;
  field: Field;
  operator: Alert['condition']['operator'];
  number: number;
  /** How far back a share goes, and the least that it is of. */
  windowHours: number;
  atLeast: number;
  /** Whose silence; null: that of any. */
  agentId: string | null;
  status: string;
  actions: { type: Alert['actions'][number]['type']; target: string }[];
}

const SEVERITIES = [
  { value: 'critical', label: 'Critical' },
  { value: 'warning', label: 'Warning' },
  { value: 'info', label: 'Information' },
];

/** What a new rule begins with. */
const FIRST = { field: 'status', operator: 'lt', value: 'blocked' } as const;

function toValues(alert: Alert | null): Values {
  const condition: Alert['condition'] = alert?.condition ?? FIRST;
  const { field, operator, value, ...more } = condition;
  const isShare = findMeasure(field) === 'share';
  const number = typeof value === 'number' ? value : 0.5;
  return {
    name: alert?.name ?? '',
    description: alert?.description ?? '',
    severity: alert?.severity ?? 'warning',
    field: field as Field,
    operator,
    number: isShare ? toPercent(number) : number,
    windowHours: more.windowHours ?? 1,
    atLeast: more.atLeast ?? 20,
    agentId: more.agentId ?? null,
    status: typeof value === 'string' ? value : 'blocked',
    actions: alert?.actions ?? [{ type: 'email', target: '' }],
  };
}

function toCondition(values: Values): object {
  const { field, operator, number: value, status, windowHours, atLeast, agentId } = values;
  const measure = findMeasure(field);
  if (field === 'status') return { field, operator: 'eq', value: status };
  if (measure === 'share') return { field, operator, value: value / 100, windowHours, atLeast };
  if (measure === null) return { field, operator, value };
  return { field, operator: 'gte', value, ...(measure === 'silence' && { agentId }) };
}

function toInput(values: Values): AlertInput {
  const { name, description, severity, actions } = values;
  const condition = toCondition(values) as AlertInput['condition'];
  return { name, description, severity, condition, actions: actions as AlertInput['actions'] };
}

export function AlertDialog({ edited, onClose }: Props): ReactNode {
  if (edited === null) return null;
  const alert = edited === 'new' ? null : edited;
  return <OpenDialog key={alert?._id ?? 'new'} alert={alert} onClose={onClose} />;
}

function OpenDialog({ alert, onClose }: { alert: Alert | null; onClose: () => void }): ReactNode {
  const form = useStoredForm<Values>(toValues(alert));
  const save = useChange({
    change: (values: Values) => {
      const body = toInput(values);
      if (alert === null) return readData(api.POST('/api/v1/alerts', { body }));
      const params = { path: { id: alert._id } };
      return readData(api.PATCH('/api/v1/alerts/{id}', { params, body, ...createMatch(alert) }));
    },
    refresh: ['alerts'],
    note: 'The rule is saved',
    onDone: onClose,
    form,
  });
  return (
    <FormDialog
      form={form}
      isOpen
      isLarge
      title={alert === null ? 'Add a rule' : `Edit ${alert.name}`}
      submitLabel={alert === null ? 'Add it' : 'Save'}
      mutation={save}
      onClose={onClose}
      onSubmit={form.onSubmit((values) => save.mutate(values))}
    >
      <TextInput label="Name" required data-autofocus {...form.getInputProps('name')} />
      <ConditionFields form={form} />
      <Select
        label="Severity"
        allowDeselect={false}
        data={SEVERITIES}
        {...form.getInputProps('severity')}
      />
      <ActionFields form={form} />
      <Textarea label="Note" autosize minRows={2} {...form.getInputProps('description')} />
    </FormDialog>
  );
}

type Form = UseFormReturnType<Values>;

/** What a field begins with when it is chosen. */
const STARTS = { share: 20, age: 60, silence: 60 } as const;

const UNITS = { share: ' %', age: ' min', silence: ' min' } as const;

function chooseField(form: Form, field: Field): void {
  const measure = findMeasure(field);
  const had = findMeasure(form.values.field);
  const number = measure === null ? 0.5 : STARTS[measure];
  form.setValues({
    field,
    ...(measure !== had && { number }),
    ...(measure !== null && measure !== had && { operator: 'gte' as const }),
  });
}

function ConditionFields({ form }: { form: Form }): ReactNode {
  const { field } = form.values;
  const measure = findMeasure(field);
  const isCompared = field !== 'status' && (measure === null || measure === 'share');
  return (
    <>
      <Group grow align="flex-end" preventGrowOverflow={false}>
        <Select
          label="When"
          allowDeselect={false}
          data={FIELDS.map((known) => ({ ...known }))}
          value={field}
          onChange={(chosen) => chooseField(form, chosen as Field)}
        />
        {isCompared && (
          <Select
            label="Comparison"
            allowDeselect={false}
            data={OPERATORS.map((operator) => ({ ...operator }))}
            {...form.getInputProps('operator')}
          />
        )}
        {field === 'status' ? (
          <Select
            label="Is"
            allowDeselect={false}
            data={VERDICTS.map((value) => ({ value, label: describeVerdict(value) }))}
            {...form.getInputProps('status')}
          />
        ) : (
          <NumberInput
            label={isCompared ? 'Value' : 'At least'}
            step={measure === null ? 0.05 : 1}
            {...(measure !== null && { suffix: UNITS[measure] })}
            {...form.getInputProps('number')}
          />
        )}
      </Group>
      {measure === 'share' && <WindowFields form={form} />}
      {measure === 'silence' && <AgentField form={form} />}
    </>
  );
}

function WindowFields({ form }: { form: Form }): ReactNode {
  return (
    <Group grow align="flex-start">
      <NumberInput
        label="In the last hours"
        description="The current hour counts too"
        min={1}
        max={168}
        {...form.getInputProps('windowHours')}
      />
      <NumberInput
        label="Minimum count"
        description="With fewer decisions, the rule never matches"
        min={1}
        {...form.getInputProps('atLeast')}
      />
    </Group>
  );
}

const ANY_AGENT = 'any';

function AgentField({ form }: { form: Form }): ReactNode {
  const { data: agents = [] } = useQuery(agentsQuery);
  const known = agents.map(({ _id, name }) => ({ value: _id, label: name }));
  return (
    <Select
      label="Agent"
      searchable
      allowDeselect={false}
      data={[{ value: ANY_AGENT, label: 'Any that was active in the week before' }, ...known]}
      value={form.values.agentId ?? ANY_AGENT}
      onChange={(chosen) => form.setFieldValue('agentId', chosen === ANY_AGENT ? null : chosen)}
      error={form.errors['condition']}
    />
  );
}

const MOST_ACTIONS = 10;

function ActionFields({ form }: { form: Form }): ReactNode {
  const { actions } = form.values;
  return (
    <>
      {actions.map(({ type }, at) => (
        <Group key={at} align="flex-end" gap="xs" wrap="wrap">
          <Select
            label={`Receiver ${at + 1}`}
            allowDeselect={false}
            w={200}
            data={ACTIONS.map((action) => ({ ...action }))}
            {...form.getInputProps(`actions.${at}.type`)}
          />
          <Target isMail={type === 'email'} props={form.getInputProps(`actions.${at}.target`)} />
          {actions.length > 1 && (
            <Button variant="default" onClick={() => form.removeListItem('actions', at)}>
              Remove receiver {at + 1}
            </Button>
          )}
        </Group>
      ))}
      {actions.length < MOST_ACTIONS && (
        <Button
          variant="default"
          size="xs"
          w="fit-content"
          onClick={() => form.insertListItem('actions', { type: 'email', target: '' })}
        >
          Add a receiver
        </Button>
      )}
    </>
  );
}

interface TargetProps {
  isMail: boolean;
  props: ReturnType<Form['getInputProps']>;
}

function Target({ isMail, props }: TargetProps): ReactNode {
  const { data: members = [] } = useQuery(membersQuery);
  if (!isMail)
    return (
      <TextInput label="Address" placeholder="https://" flex="1 1 200px" required {...props} />
    );
  const data = members.map(({ email, name }) => ({ value: email, label: `${name} (${email})` }));
  return <Select label="Member" searchable flex="1 1 200px" data={data} required {...props} />;
}
