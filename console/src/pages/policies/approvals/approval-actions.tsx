// What this user may do with a proposed change; nothing is shown that the service would refuse.
import { Button, Group, Paper, Stack, Text, Textarea, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, readData } from '../../../api/client.ts';
import { Problem } from '../../../parts/states.tsx';
import { type Rights, useRights, useSession } from '../../../session/session.ts';
import type { Approval } from '../policy-queries.ts';

type Action = NonNullable<Approval['lastAction']>['action'];

interface Choice {
  action: Action;
  label: string;
  isMain?: boolean;
  /** Whether it takes a reason first. */
  needsReason?: boolean;
}

interface Parties {
  isAuthor: boolean;
  isReviewer: boolean;
  isEnforcer: boolean;
}

/** Choices by state, as the service allows them (three different people). */
function listChoices({ state }: Approval, rights: Rights, parties: Parties): Choice[] {
  const { isAuthor, isReviewer, isEnforcer } = parties;
  const mayReview = rights.mayDecide && !isAuthor && !isEnforcer;
  const mayEnforce = rights.mayManage && !isAuthor && !isReviewer;
  const review: Choice[] = mayReview
    ? [
        { action: 'reviewer-approve', label: 'Approve', isMain: true },
        { action: 'reviewer-reject', label: 'Reject' },
      ]
    : [];
  const enforce: Choice[] = mayEnforce
    ? [
        { action: 'enforcer-promote', label: 'Put it into force', isMain: true },
        { action: 'enforcer-reject', label: 'Reject' },
      ]
    : [];
  const withdraw: Choice[] = isAuthor ? [{ action: 'author-withdraw', label: 'Withdraw' }] : [];
  const glass: Choice[] = rights.mayManage
    ? [{ action: 'break-glass', label: 'Break the glass', needsReason: true }]
    : [];
  if (state === 'draft') return withdraw;
  if (state === 'pending_review') return [...review, ...withdraw, ...glass];
  if (state === 'approved_pending_enforcement') return [...enforce, ...withdraw, ...glass];
  return state === 'broken_glass' ? review : [];
}

export function ApprovalActions({ approval }: { approval: Approval }): ReactNode {
  const rights = useRights();
  const { user } = useSession();
  const queries = useQueryClient();
  const [reason, setReason] = useState('');
  const parties = {
    isAuthor: approval.author === user._id,
    isReviewer: approval.reviewer === user._id,
    isEnforcer: approval.enforcer === user._id,
  };
  const choices = listChoices(approval, rights, parties);
  const act = useMutation({
    mutationFn: (action: Action) =>
      readData(
        api.POST('/api/v1/policies/approvals/{id}/{action}', {
          params: { path: { id: approval.id, action: action as never } },
          // What is on screen is what is approved.
          body: { digest: approval.digest, ...(reason.trim() !== '' && { reason }) },
        }),
      ),
    onSettled: () =>
      Promise.all(
        ['policies', 'policy-lists'].map((root) => queries.invalidateQueries({ queryKey: [root] })),
      ),
  });
  const isOver = ['promoted', 'rejected', 'withdrawn'].includes(approval.state);
  if (choices.length === 0)
    return isOver ? null : (
      <Text size="sm" c="dimmed">
        It waits for others: no one reviews or enforces a change of their own.
      </Text>
    );
  const needsReason = choices.some((choice) => choice.needsReason);
  return (
    <Paper p="md" component="section" aria-label="Your step">
      <Stack gap="sm">
        <Title order={2}>Your step</Title>
        <Textarea
          label="Reason"
          description={needsReason ? 'Needed to break the glass' : undefined}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        <Group gap="xs">
          {choices.map(({ action, label, isMain, needsReason: isNeeded }) => (
            <Button
              key={action}
              variant={isMain ? 'filled' : 'default'}
              disabled={isNeeded === true && reason.trim() === ''}
              loading={act.isPending && act.variables === action}
              onClick={() => act.mutate(action)}
            >
              {label}
            </Button>
          ))}
        </Group>
        {act.error && <Problem error={act.error} />}
      </Stack>
    </Paper>
  );
}
