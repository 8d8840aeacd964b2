// The settings of one workspace.
import {
  Alert,
  Fieldset,
  Group,
  NumberInput,
  Select,
  Switch,
  Text,
  TextInput,
} from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, readData } from '../../../api/client.ts';
import { membersQuery } from '../../../api/shared-queries.ts';
import { PageForm } from '../../../parts/forms/form-dialog.tsx';
import { useChange } from '../../../parts/forms/use-change.ts';
import { createMatch } from '../../../parts/forms/changed-notice.tsx';
import { useStoredForm } from '../../../parts/forms/use-stored-form.ts';
import { Facts } from '../../../parts/layout/facts.tsx';
import { Section } from '../../../parts/layout/section.tsx';
import { formatExact } from '../../../parts/time.tsx';
import { useRights } from '../../../session/session.ts';
import {
  PRIORITIES,
  toChange,
  toValues,
  type Workspace,
  type WorkspaceValues,
} from './workspace-values.ts';

type Form = UseFormReturnType<WorkspaceValues>;

const LINKS = [
  { value: 'sign-in', label: 'After signing in' },
  { value: 'token', label: 'By the link of a mail alone' },
  { value: 'off', label: 'Not by links: they lead to the console' },
];

const PREVENTIONS = [
  { value: 'where-possible', label: 'Not while another person may' },
  { value: 'always', label: 'Never' },
  { value: 'off', label: 'Yes' },
];
const INVOLVED = [
  ['actor', 'on whose behalf the agent acts'],
  ['keyMaker', 'who made the key'],
  ['agentOwner', 'who registered the agent'],
] as const;

export function WorkspaceSection({ workspace }: { workspace: Workspace }): ReactNode {
  const { mayManage } = useRights();
  const { name, isDefault } = workspace;
  return (
    <Section
      title={name}
      lead={isDefault ? 'Where decisions go that name no workspace.' : undefined}
    >
      <PendingRelease workspace={workspace} />
      {mayManage ? <WorkspaceForm workspace={workspace} /> : <Summary workspace={workspace} />}
    </Section>
  );
}

/** A looser automatic approval that waits for a second person. */
function PendingRelease({ workspace }: { workspace: Workspace }): ReactNode {
  const request = workspace.autoApprovalRequest;
  if (!request) return null;
  const { approvals, days } = request.autoApproval;
  return (
    <Alert variant="light">
      <Text size="sm">
        Automatic approval after {approvals} approvals in {days} days was asked for. It waits for a
        second owner or admin, who saves the same; the owner who asked may do so from{' '}
        {formatExact(request.ownerMayConfirmAt)} on.
      </Text>
    </Alert>
  );
}

function Summary({ workspace }: { workspace: Workspace }): ReactNode {
  const { reviewSla, reviewExpiry, reviewLinks } = workspace;
  const hours = PRIORITIES.map(
    (priority) =>
      [
        `Review, ${priority}`,
        reviewSla[priority] === null ? 'No deadline' : `${reviewSla[priority]} hours`,
      ] as const,
  );
  return (
    <Facts
      items={[
        ...hours,
        ['A hold ends', reviewExpiry ? `after ${reviewExpiry.expiresIn / 60} minutes` : 'Never'],
        ['Review links', LINKS.find(({ value }) => value === reviewLinks)?.label],
      ]}
    />
  );
}

function WorkspaceForm({ workspace }: { workspace: Workspace }): ReactNode {
  const form = useStoredForm<WorkspaceValues>(toValues(workspace));
  const save = useChange({
    change: (values: WorkspaceValues) => {
      const params = { path: { id: workspace._id } };
      return readData(
        api.PATCH('/api/v1/workspaces/{id}', {
          params,
          body: toChange(values),
          ...createMatch(workspace),
        }),
      );
    },
    refresh: ['workspaces'],
    note: 'The workspace is saved',
    form,
  });
  return (
    <PageForm
      form={form}
      mutation={save}
      isChanged={form.isDirty()}
      onSubmit={form.onSubmit((values) => save.mutate(values))}
    >
      <TextInput label="Name" required {...form.getInputProps('name')} />
      <ReviewFields form={form} />
      <Select
        label="People decide by links of mails and chats"
        allowDeselect={false}
        data={LINKS}
        {...form.getInputProps('reviewLinks')}
      />
      <Fieldset legend="May those decide who are involved?">
        <Group grow preventGrowOverflow={false}>
          {INVOLVED.map(([kind, label]) => (
            <Select
              key={kind}
              label={`The person ${label}`}
              allowDeselect={false}
              data={PREVENTIONS}
              {...form.getInputProps(`preventSelfReview.${kind}`)}
            />
          ))}
        </Group>
      </Fieldset>
      <Switch
        label="Review what was done without asking"
        description="Spans that a policy would have held wait in the queue; else they are only marked"
        {...form.getInputProps('isObservedReviewed', { type: 'checkbox' })}
      />
      <Fieldset legend="Approve by itself what people always approve">
        <Group grow preventGrowOverflow={false}>
          <NumberInput
            label="Approvals in a row"
            description="Empty: never"
            min={1}
            allowDecimal={false}
            {...form.getInputProps('approvals')}
          />
          <NumberInput
            label="Days since the first"
            description="Empty: never"
            min={1}
            allowDecimal={false}
            {...form.getInputProps('days')}
          />
        </Group>
      </Fieldset>
    </PageForm>
  );
}

function ReviewFields({ form }: { form: Form }): ReactNode {
  const { data: members = [] } = useQuery(membersQuery);
  return (
    <>
      <Fieldset legend="Hours for a review, by priority">
        <Group grow preventGrowOverflow={false}>
          {PRIORITIES.map((priority) => (
            <NumberInput
              key={priority}
              label={priority.charAt(0).toUpperCase() + priority.slice(1)}
              placeholder="None"
              min={0.1}
              {...form.getInputProps(`sla.${priority}`)}
            />
          ))}
        </Group>
      </Fieldset>
      <NumberInput
        label="A hold ends after minutes"
        description="Without a verdict by then the decision is blocked. Empty: it waits for ever"
        min={1}
        {...form.getInputProps('expiry')}
      />
      <Select
        label="Escalate to"
        placeholder="An owner"
        clearable
        searchable
        data={members.map(({ userId, name }) => ({ value: userId, label: name }))}
        {...form.getInputProps('escalateTo')}
      />
    </>
  );
}
