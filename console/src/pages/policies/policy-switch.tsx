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
import { readState } from './policy-words.ts';

/** A canary is ended first: else it would not be clear which of the two rules is switched. */
export function PolicySwitch({ policy }: { policy: Policy }): ReactNode {
  const { mayManage, mayWrite } = useRights();
  const { data: organization } = useQuery(organizationQuery);
  if (!mayWrite || policy.canary || !organization) return null;
  const Switch = mayManage && !organization.requirePolicyApproval ? DirectSwitch : ProposedSwitch;
  return (
    <>
      {readState(policy) === 'observe' && <Switch policy={policy} target="on" />}
      <Switch policy={policy} target={policy.enabled ? 'off' : 'on'} />
    </>
  );
}

interface SwitchProps {
  policy: Policy;
  target: 'on' | 'off';
}

function createWords(policy: Policy, target: 'on' | 'off') {
  if (target === 'off') return { label: 'Switch off', proposal: 'Propose to switch it off' };
  return readState(policy) === 'observe'
    ? { label: 'Let it judge', proposal: 'Propose to let it judge' }
    : { label: 'Switch on', proposal: 'Propose to switch it on' };
}

/** What is switched on judges; what is switched off keeps whether it would observe. */
const toSwitched = (target: 'on' | 'off') =>
  target === 'off' ? { enabled: false } : { enabled: true, observe: false };

function DirectSwitch({ policy, target }: SwitchProps): ReactNode {
  const change = useChange({
    change: ({ reason }: { reason: string }) =>
      readData(
        api.PATCH('/api/v1/policies/{id}', {
          params: { path: { id: policy.id } },
          body: { ...toSwitched(target), ...(reason !== '' && { reason }) },
        }),
      ),
    refresh: ['policies'],
    note: target === 'off' ? 'The policy is off' : 'The policy is on',
  });
  const { label } = createWords(policy, target);
  return (
    <SwitchDialog policy={policy} target={target} label={label} change={change}>
      {describeSwitch(policy, target)}
    </SwitchDialog>
  );
}

function describeSwitch(policy: Policy, target: 'on' | 'off'): string {
  if (target === 'on') return 'It judges from the next decision on.';
  return readState(policy) === 'observe'
    ? 'It no longer observes. It has held nothing so far.'
    : 'It judges nothing from the next decision on: what it holds or blocks would pass. What is held now stays held.';
}

function ProposedSwitch({ policy, target }: SwitchProps): ReactNode {
  const navigate = useNavigate();
  const change = useChange({
    change: (_: { reason: string }) =>
      readData(
        api.POST('/api/v1/policies/approvals', {
          body: {
            policyId: policy.id,
            policy: { ...toContents(policy), ...toSwitched(target) },
            submit: true,
          },
        }),
      ),
    refresh: ['policies'],
    onDone: ({ id: approvalId }) =>
      void navigate({ to: '/policies/approvals/$approvalId', params: { approvalId } }),
  });
  const { proposal } = createWords(policy, target);
  return (
    <SwitchDialog policy={policy} target={target} label={proposal} change={change} isProposal>
      Others review and enforce it. Until then the policy stays as it is.
    </SwitchDialog>
  );
}

interface DialogProps {
  policy: Policy;
  target: 'on' | 'off';
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

function SwitchDialog({ policy, target, ...dialog }: DialogProps): ReactNode {
  const { label, change, children, isProposal } = dialog;
  const isDangerous = target === 'off' && readState(policy) === 'on';
  const isReasonNeeded = isDangerous && isProposal !== true;
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
      isDangerous={isDangerous}
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
