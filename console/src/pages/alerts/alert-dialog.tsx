// Makes or changes an alert rule.
import { Button, Group, NumberInput, Select, Textarea, TextInput } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, readData } from '../../api/client.ts';
import { membersQuery } from '../../api/shared-queries.ts';
import { FormDialog } from '../../parts/forms/form-dialog.tsx';
import { useChange } from '../../parts/forms/use-change.ts';
import { describeVerdict } from '../../parts/verdict.tsx';
import {
  ACTIONS,
  type Alert,
  type AlertInput,
  type Field,
  FIELDS,
  OPERATORS,
  type Severity,
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
  status: string;
  actions: { type: Alert['actions'][number]['type']; target: string }[];
}

const SEVERITIES = [
  { value: 'critical', label: 'Critical' },
  { value: 'warning', label: 'Warning' },
  { value: 'info', label: 'Information' },
];

function toValues(alert: Alert | null): Values {
  const { field = 'status', operator = 'lt', value = 'blocked' } = alert?.condition ?? {};
  return {
    name: alert?.name ?? '',
    description: alert?.description ?? '',
    severity: alert?.severity ?? 'warning',
    field: field as Field,
    operator,
    number: typeof value === 'number' ? value : 0.5,
    status: typeof value === 'string' ? value : 'blocked',
    actions: alert?.actions ?? [{ type: 'email', target: '' }],
  };
}

function toInput({ field, operator, number, status, ...rest }: Values): AlertInput {
  const condition =
    field === 'status'
      ? { field, operator: 'eq' as const, value: status as 'blocked' }
      : { field, operator, value: number };
  return { ...rest, condition, actions: rest.actions as AlertInput['actions'] };
}

export function AlertDialog({ edited, onClose }: Props): ReactNode {
  if (edited === null) return null;
  const alert = edited === 'new' ? null : edited;
  return <OpenDialog key={alert?._id ?? 'new'} alert={alert} onClose={onClose} />;
}

function OpenDialog({ alert, onClose }: { alert: Alert | null; onClose: () => void }): ReactNode {
  const form = useForm<Values>({ initialValues: toValues(alert) });
  const save = useChange({
    change: (values: Values) => {
      const body = toInput(values);
      if (alert === null) return readData(api.POST('/api/v1/alerts', { body }));
      const params = { path: { id: alert._id } };
      return readData(api.PATCH('/api/v1/alerts/{id}', { params, body }));
    },
    refresh: ['alerts'],
    note: 'The rule is saved',
    onDone: onClose,
    form,
  });
  return (
    <FormDialog
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

function ConditionFields({ form }: { form: Form }): ReactNode {
  const isStatus = form.values.field === 'status';
  return (
    <Group grow align="flex-end" preventGrowOverflow={false}>
      <Select
        label="When"
        allowDeselect={false}
        data={FIELDS.map((field) => ({ ...field }))}
        {...form.getInputProps('field')}
      />
      {!isStatus && (
        <Select
          label="Comparison"
          allowDeselect={false}
          data={OPERATORS.map((operator) => ({ ...operator }))}
          {...form.getInputProps('operator')}
        />
      )}
      {isStatus ? (
        <Select
          label="Is"
          allowDeselect={false}
          data={VERDICTS.map((value) => ({ value, label: describeVerdict(value) }))}
          {...form.getInputProps('status')}
        />
      ) : (
        <NumberInput label="Value" step={0.05} {...form.getInputProps('number')} />
      )}
    </Group>
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
