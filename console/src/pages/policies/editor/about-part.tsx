// What a policy is called, in which order and where it judges, and whether it judges, observes or is off.
import { Group, NumberInput, Paper, Select, Stack, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense } from 'react';
import { workspacesQuery } from '../../../api/shared-queries.ts';
import { Loading } from '../../../parts/states.tsx';
import type { PolicyContents } from '../policy-queries.ts';
import { POLICY_STATES, readState, toState, type PolicyStateName } from '../policy-words.ts';
import type { Draft } from './use-draft.ts';

const AgentsInput = lazy(async () => ({
  default: (await import('./agents-input.tsx')).AgentsInput,
}));

interface Props {
  /** Null: the source cannot be read. */
  contents: PolicyContents | null;
  draft: Draft;
  onChange: (contents: PolicyContents) => void;
  isReadOnly: boolean;
}

export function AboutPart({ contents, draft, onChange, isReadOnly }: Props): ReactNode {
  if (!contents) return null;
  const { name, description, priority } = contents;
  return (
    <Paper p="md" component="section" aria-label="About the policy">
      <Stack gap="sm">
        <Title order={2}>Policy</Title>
        <Group gap="xs" align="flex-end">
          <TypedText
            label="Name"
            maxLength={100}
            flex="2 1 200px"
            value={name}
            isReadOnly={isReadOnly}
            onCommit={(typed) => onChange({ ...contents, name: typed })}
          />
          <Select
            label="State"
            data={POLICY_STATES.map((state) => ({ ...state }))}
            value={readState(contents)}
            allowDeselect={false}
            disabled={isReadOnly}
            onChange={(chosen) => onChange(toState(contents, chosen as PolicyStateName))}
            flex="1 1 140px"
          />
        </Group>
        <TypedText
          label="Description"
          maxLength={500}
          value={description}
          isReadOnly={isReadOnly}
          mayBeEmpty
          onCommit={(typed) => onChange({ ...contents, description: typed })}
        />
        <Group gap="xs" align="flex-end">
          <NumberInput
            key={priority}
            label="Priority, the lowest first"
            defaultValue={priority}
            min={-1e6}
            max={1e6}
            disabled={isReadOnly}
            onBlur={({ currentTarget }) => {
              const typed = Number(currentTarget.value);
              if (currentTarget.value !== '' && Number.isFinite(typed) && typed !== priority)
                onChange({ ...contents, priority: typed });
            }}
            flex="1 1 140px"
          />
          <Scope draft={draft} isReadOnly={isReadOnly} />
        </Group>
        <Suspense fallback={<Loading />}>
          <AgentsInput
            conditions={contents.conditions}
            isReadOnly={isReadOnly}
            onChange={(conditions) => onChange({ ...contents, conditions })}
          />
        </Suspense>
      </Stack>
    </Paper>
  );
}

interface TextProps {
  label: string;
  maxLength: number;
  flex?: string;
  value: string;
  isReadOnly: boolean;
  mayBeEmpty?: boolean;
  onCommit: (typed: string) => void;
}

/** Written into the source when it is left, so that the source does not move under the keys. */
function TypedText({ value, isReadOnly, mayBeEmpty, onCommit, ...input }: TextProps): ReactNode {
  return (
    <TextInput
      key={value}
      {...input}
      defaultValue={value}
      disabled={isReadOnly}
      onBlur={({ currentTarget }) => {
        const typed = currentTarget.value.trim();
        if (typed !== value && (typed !== '' || mayBeEmpty === true)) onCommit(typed);
      }}
    />
  );
}

/** A policy stays in the workspace that it was made in. */
function Scope({ draft, isReadOnly }: { draft: Draft; isReadOnly: boolean }): ReactNode {
  const { data: workspaces } = useQuery(workspacesQuery);
  if (!workspaces || workspaces.length < 2) return null;
  const known = draft.policy?.workspaceId ?? draft.workspaceId;
  const byDefault = workspaces.find(({ isDefault }) => isDefault)?._id;
  return (
    <Select
      label="Workspace"
      data={workspaces.map(({ _id, name }) => ({ value: _id, label: name }))}
      value={known ?? byDefault ?? null}
      allowDeselect={false}
      disabled={isReadOnly || draft.policy !== null}
      onChange={(chosen) => draft.setWorkspaceId(chosen)}
      flex="1 1 160px"
    />
  );
}
