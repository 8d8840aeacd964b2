// Switches a policy off or on, with a reason; where changes need an approval, it is proposed.
import { Text, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, readData } from '../../api/client.ts';
import { DialogButton } from '../../parts/forms/dialog-button.tsx';
import { useChange } from '../../parts/forms/use-change.ts';
import { useRights } from '../../session/session.ts';
import { organizationQuery, type Policy, toContents } from './policy-queries.ts';

/** A canary is ended first: else it would not be clear which of the two rules is switched. */
export function PolicySwitch({ policy }: { policy: Policy }): ReactNode {
  const { mayManage, mayWrite } = useRights();
  const { data: organization } = useQuery(organizationQuery);
  if (!mayWrite || policy.canary || !organization) return null;
  return mayManage && !organization.requirePolicyApproval ? (
    <DirectSwitch policy={policy} />
  ) : (
    <ProposedSwitch policy={policy} />
  );
}

const createWords = (isOn: boolean) => (isOn ? 'Switch off' : 'Switch on');

function DirectSwitch({ policy }: { policy: Policy }): ReactNode {
  const change = useChange({
    change: ({ reason }: { reason: string }) =>
      readData(
        api.PATCH('/api/v1/policies/{id}', {
          params: { path: { id: policy.id } },
          body: { enabled: !policy.enabled, ...(reason !== '' && { reason }) },
        }),
      ),
    refresh: ['policies'],
    note: policy.enabled ? 'The policy is off' : 'The policy is on',
  });
  const label = createWords(policy.enabled);
  return (
    <SwitchDialog policy={policy} label={label} change={change}>
      {policy.enabled
        ? 'It judges nothing from the next decision on: what it holds or blocks would pass. What is held now stays held.'
        : 'It judges from the next decision on.'}
    </SwitchDialog>
  );
}

function ProposedSwitch({ policy }: { policy: Policy }): ReactNode {
  const navigate = useNavigate();
  const change = useChange({
    change: (_: { reason: string }) =>
      readData(
        api.POST('/api/v1/policies/approvals', {
          body: {
            policyId: policy.id,
            policy: { ...toContents(policy), enabled: !policy.enabled },
            submit: true,
          },
        }),
      ),
    refresh: ['policies'],
    onDone: ({ id: approvalId }) =>
      void navigate({ to: '/policies/approvals/$approvalId', params: { approvalId } }),
  });
  const label = policy.enabled ? 'Propose to switch it off' : 'Propose to switch it on';
  return (
    <SwitchDialog policy={policy} label={label} change={change} isProposal>
      Others review it and put it into force. Until then the policy stays as it is.
    </SwitchDialog>
  );
}

interface DialogProps {
  policy: Policy;
  label: string;
  change: {
    isPending: boolean;
    error: unknown;
    reset: () => void;
    mutateAsync: (values: { reason: string }) => Promise<unknown>;
  };
  children: ReactNode;
  /** A proposal is explained to its reviewers on its own page. */
  isProposal?: boolean;
}

function SwitchDialog({ policy, label, change, children, isProposal }: DialogProps): ReactNode {
  const isReasonNeeded = policy.enabled && isProposal !== true;
  const form = useForm({
    initialValues: { reason: '' },
    validate: {
      reason: (text) =>
        isReasonNeeded && text.trim() === '' ? 'Say why, for the audit log' : null,
    },
  });
  return (
    <DialogButton
      label={label}
      title={`${label}?`}
      submitLabel={label}
      form={form}
      mutation={change}
      isDangerous={policy.enabled}
    >
      <Text size="sm">{children}</Text>
      {isProposal !== true && (
        <Textarea
          label="Reason"
          description="Stands in the audit log"
          autosize
          minRows={2}
          maxLength={500}
          required={isReasonNeeded}
          data-autofocus
          {...form.getInputProps('reason')}
        />
      )}
    </DialogButton>
  );
}
