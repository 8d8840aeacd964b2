// One list: its values, what refers to it, and how it is changed or removed.
import { Button, Group, Text, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { api, readData } from '../../../api/client.ts';
import { workspacesQuery } from '../../../api/shared-queries.ts';
import type { components } from '../../../api/schema.gen.d.ts';
import { ConfirmButton } from '../../../parts/forms/confirm-button.tsx';
import { useChange } from '../../../parts/forms/use-change.ts';
import {
  ChangedNotice,
  createMatch,
  isChangedSince,
} from '../../../parts/forms/changed-notice.tsx';
import { useStoredForm } from '../../../parts/forms/use-stored-form.ts';
import { Section } from '../../../parts/layout/section.tsx';
import { TextLink } from '../../../parts/links.tsx';
import { Problem, QueryView } from '../../../parts/states.tsx';
import { markInvisible } from '../../../parts/text.tsx';
import { useRights } from '../../../session/session.ts';
import { createListQuery } from '../policy-queries.ts';
import { formatValues, readValues } from './list-values.ts';

type List = components['schemas']['PolicyList'];

const route = getRouteApi('/session/policies/lists');
const toPath = (name: string) => ({ params: { path: { name } } });

export function ListPart({ name }: { name: string }): ReactNode {
  const list = useQuery(createListQuery(name));
  return <QueryView query={list}>{(found) => <Values list={found} />}</QueryView>;
}

function Values({ list }: { list: List }): ReactNode {
  const { name, values, usedBy, needsApproval, workspaceId } = list;
  const stored = useMemo(() => formatValues(values), [values]);
  const form = useStoredForm({ text: stored, description: list.description });
  const { text, description } = form.values;
  const { mayManage, mayWrite } = useRights();
  const isProposal = needsApproval || !mayManage;
  const typed = useMemo(() => readValues(text), [text]);
  const hasOtherValues = text !== stored;
  const isRefused = hasOtherValues && typed.problem !== null;
  const hasOtherDescription = description.trim() !== list.description;
  const isChanged = hasOtherValues || hasOtherDescription;
  const save = useChange({
    change: (sent: typeof form.values) =>
      readData(
        api.PUT('/api/v1/policy-lists/{name}', {
          ...toPath(name),
          ...createMatch(list),
          body: {
            values: isProposal || !hasOtherValues ? values : typed.values,
            description: sent.description,
          },
        }),
      ),
    refresh: ['policy-lists'],
    note: 'The list is saved',
    form,
  });
  const propose = useProposal(name);
  return (
    <Section
      title={`List ${name}`}
      lead={
        <>
          <Place workspaceId={workspaceId} /> <Users usedBy={usedBy} />
        </>
      }
    >
      <TextInput
        label="Description"
        maxLength={500}
        readOnly={!mayManage}
        {...form.getInputProps('description')}
      />
      <Textarea
        label="Values"
        description={`One per line; ${typed.values.length.toLocaleString('en')} now, at most 10,000`}
        autosize
        minRows={4}
        maxRows={16}
        readOnly={!mayWrite}
        {...form.getInputProps('text')}
        error={isRefused && typed.problem}
      />
      {mayWrite && (
        <Group gap="xs">
          {mayManage && (
            <Button
              variant={isProposal ? 'default' : 'filled'}
              loading={save.isPending}
              disabled={isProposal ? !hasOtherDescription : isRefused || !isChanged}
              onClick={() => save.mutate({ text: isProposal ? stored : text, description })}
            >
              {isProposal ? 'Save the description' : 'Save'}
            </Button>
          )}
          <Button
            variant={isProposal ? 'filled' : 'default'}
            loading={propose.isPending}
            disabled={!hasOtherValues || isRefused}
            onClick={() => propose.mutate({ values: typed.values })}
          >
            Propose it
          </Button>
          {mayManage ? <Removal name={name} /> : <ProposedRemoval name={name} />}
          {isProposal && (
            <Text size="sm" c="dimmed">
              Others review and enforce other values.
            </Text>
          )}
        </Group>
      )}
      {save.error && !isChangedSince(save.error) && <Problem error={save.error} />}
      <ChangedNotice
        form={form}
        isRefused={isChangedSince(save.error)}
        onSave={() => save.mutate({ text: isProposal ? stored : text, description })}
        onTaken={save.reset}
      />
      {propose.error && <Problem error={propose.error} />}
    </Section>
  );
}

/** Whose policies may refer to it. */
function Place({ workspaceId }: Pick<List, 'workspaceId'>): ReactNode {
  const { data: workspaces = [] } = useQuery(workspacesQuery);
  if (workspaceId === null) return 'For all workspaces.';
  const name = workspaces.find(({ _id }) => _id === workspaceId)?.name;
  return `For policies of the workspace ${name === undefined ? workspaceId : markInvisible(name)}.`;
}

/** Proposes other values, or the removal, and leads to the proposal. */
function useProposal(name: string) {
  const navigate = useNavigate();
  return useChange({
    change: (body: { values: string[] } | { deleted: true }) =>
      readData(api.POST('/api/v1/policy-lists/{name}/approvals', { ...toPath(name), body })),
    refresh: ['policies'],
    onDone: ({ id: approvalId }) =>
      void navigate({ to: '/policies/approvals/$approvalId', params: { approvalId } }),
  });
}

function ProposedRemoval({ name }: { name: string }): ReactNode {
  const propose = useProposal(name);
  return (
    <ConfirmButton
      label="Propose to remove it"
      title={`Propose to remove the list ${name}?`}
      mutation={propose}
      onConfirm={() => propose.mutateAsync({ deleted: true })}
      buttonProps={{ size: 'sm' }}
    >
      Others review and enforce it. A list that a policy refers to stays.
    </ConfirmButton>
  );
}

function Removal({ name }: { name: string }): ReactNode {
  const navigate = route.useNavigate();
  const remove = useChange({
    change: () => readData(api.DELETE('/api/v1/policy-lists/{name}', toPath(name))),
    refresh: ['policy-lists'],
    note: 'The list is removed',
    onDone: () => void navigate({ search: {} }),
  });
  return (
    <ConfirmButton
      label="Remove"
      title={`Remove the list ${name}?`}
      mutation={remove}
      onConfirm={() => remove.mutateAsync(undefined)}
      isDangerous
      buttonProps={{ size: 'sm' }}
    >
      Decisions that were judged by it can still be explained. A list that a policy refers to stays.
    </ConfirmButton>
  );
}

function Users({ usedBy }: Pick<List, 'usedBy'>): ReactNode {
  if (usedBy.length === 0) return 'No policy refers to it.';
  return (
    <>
      Referred to by{' '}
      {usedBy.map(({ id, name, enabled }, index) => (
        <Text span key={id} size="sm">
          {index > 0 && ', '}
          <TextLink to="/policies/$policyId" params={{ policyId: id }} size="sm">
            {markInvisible(name)}
          </TextLink>
          {!enabled && ' (off)'}
        </Text>
      ))}
      .
    </>
  );
}
