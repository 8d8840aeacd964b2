// Stops an agent, or more: what, whether it is halted or watched, and why.
import { SegmentedControl, Select, Text, Textarea, TextInput } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { api, readData } from '../../api/client.ts';
import {
  agentsQuery,
  membersQuery,
  seenAgentsQuery,
  workspacesQuery,
} from '../../api/shared-queries.ts';
import { FormDialog } from '../forms/form-dialog.tsx';
import { useChange } from '../forms/use-change.ts';
import { markInvisible } from '../text.tsx';
import type { Halt } from './halt-queries.ts';

type Scope = Halt['scope'];

/** Something that can be stopped, and how people call it. */
export interface StopTarget {
  scope: Scope;
  /** As the API takes it: of a session the `traceId` of one of its decisions. */
  target: string;
  name: string;
}

interface Props {
  isOpen: boolean;
  /** What is stopped, or what is chosen first; null: nothing yet. */
  target: StopTarget | null;
  /** Whether nothing else can be chosen. */
  isFixed?: boolean;
  onClose: () => void;
}

interface Values {
  scope: Scope;
  target: string;
  state: 'halted' | 'watched';
  reason: string;
}

const SCOPES: { value: Scope; label: string }[] = [
  { value: 'agent', label: 'An agent' },
  { value: 'session', label: 'One session of an agent' },
  { value: 'workspace', label: 'A workspace with all its agents' },
  { value: 'person', label: 'All that is done for a person' },
  { value: 'organization', label: 'Everything' },
];

const EFFECTS = {
  halted: 'From now on nothing of it is let go on. What it asks for stays on record.',
  watched: 'It goes on, but a person decides each of its actions.',
} as const;

const REASON_MAX = 500;

export function StopDialog({ isOpen, target, isFixed = false, onClose }: Props): ReactNode {
  const navigate = useNavigate();
  // Drawn closed first: only what opens remembers where the focus was.
  const [isShown, setShown] = useState(false);
  useEffect(() => setShown(isOpen), [isOpen]);
  const form = useForm<Values>({
    initialValues: {
      scope: target?.scope ?? 'agent',
      target: target?.target ?? '',
      state: 'halted',
      reason: '',
    },
    validate: {
      target: (text, { scope }) =>
        scope !== 'organization' && text.trim() === '' ? 'Say what to stop' : null,
    },
  });
  const { values } = form;
  const stop = useChange({
    change: ({ scope, target: named, state, reason }: Values) => {
      const given = { state, ...(reason.trim() !== '' && { reason: reason.trim() }) };
      const body =
        scope === 'organization' ? { scope, ...given } : { scope, target: named.trim(), ...given };
      return readData(api.POST('/api/v1/halts', { body }));
    },
    refresh: ['halts'],
    form,
    onDone(halt) {
      onClose();
      // There stands what had begun before.
      void navigate({ to: '/halts/$haltId', params: { haltId: halt.id } });
    },
  });
  const isHalt = values.state === 'halted';
  const named = isFixed && target ? markInvisible(target.name) : null;
  return (
    <FormDialog
      isOpen={isShown}
      title={named === null ? 'Stop …' : `Stop ${named}?`}
      submitLabel={isHalt ? 'Halt it' : 'Watch it'}
      mutation={stop}
      isDangerous={isHalt}
      onClose={onClose}
      onSubmit={form.onSubmit((given) => stop.mutate(given))}
    >
      {!isFixed && <TargetFields form={form} first={target} />}
      <SegmentedControl
        fullWidth
        aria-label="How it is stopped"
        data={[
          { value: 'halted', label: 'Halt' },
          { value: 'watched', label: 'Watch' },
        ]}
        {...form.getInputProps('state')}
      />
      <Text size="sm" aria-live="polite">
        {EFFECTS[values.state]} What was claimed before runs on: it is listed, and cannot be
        stopped.
      </Text>
      <Textarea
        label="Reason"
        description="The agent gets it, and it stands in the record"
        autosize
        minRows={2}
        maxLength={REASON_MAX}
        data-autofocus={named !== null || target !== null || undefined}
        {...form.getInputProps('reason')}
      />
      <Text size="xs" c="dimmed">
        It takes two people to resume: one asks, another confirms.
      </Text>
    </FormDialog>
  );
}

interface FieldsProps {
  form: UseFormReturnType<Values>;
  /** What was chosen first. */
  first: StopTarget | null;
}

function TargetFields({ form, first }: FieldsProps): ReactNode {
  const { scope } = form.values;
  return (
    <>
      <Select
        label="What"
        allowDeselect={false}
        data={SCOPES}
        {...form.getInputProps('scope')}
        onChange={(value) => form.setValues({ scope: value as Scope, target: '' })}
      />
      {scope === 'session' && (
        <TextInput
          label="Decision of the session"
          description="The id of any of its decisions"
          placeholder="trc_…"
          required
          {...form.getInputProps('target')}
        />
      )}
      {scope !== 'session' && scope !== 'organization' && (
        <TargetSelect key={scope} form={form} scope={scope} first={first} />
      )}
    </>
  );
}

const LABELS = { agent: 'Agent', workspace: 'Workspace', person: 'Person' } as const;

function TargetSelect({
  form,
  scope,
  first,
}: FieldsProps & { scope: keyof typeof LABELS }): ReactNode {
  const listed = useTargets(scope);
  const chosen = first?.scope === scope ? [{ value: first.target, label: first.name }] : [];
  const known = new Set(listed.map(({ value }) => value));
  const data = [...chosen.filter(({ value }) => !known.has(value)), ...listed];
  return (
    <Select
      label={LABELS[scope]}
      searchable
      required
      nothingFoundMessage="Nothing of that name"
      data={data.map(({ value, label }) => ({ value, label: markInvisible(label) }))}
      data-autofocus={first === null || undefined}
      {...form.getInputProps('target')}
      onChange={(value) => form.setFieldValue('target', value ?? '')}
    />
  );
}

/** Everything of a kind that can be named. */
function useTargets(scope: keyof typeof LABELS): { value: string; label: string }[] {
  const { data: agents = [] } = useQuery({ ...agentsQuery, enabled: scope === 'agent' });
  const { data: seen = [] } = useQuery({ ...seenAgentsQuery, enabled: scope === 'agent' });
  const { data: workspaces = [] } = useQuery({
    ...workspacesQuery,
    enabled: scope === 'workspace',
  });
  const { data: members = [] } = useQuery({ ...membersQuery, enabled: scope === 'person' });
  if (scope === 'workspace')
    return workspaces.map(({ _id, name }) => ({ value: _id, label: name }));
  if (scope === 'person')
    return members.map(({ userId, name }) => ({ value: userId, label: name }));
  return [
    ...agents.map(({ _id, name }) => ({ value: _id, label: name })),
    ...seen.map(({ name }) => ({ value: name, label: `${name} (not registered)` })),
  ];
}
