// The rule as source and as form side by side; saved at once, or proposed to others.
import { Button, Grid, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useMemo } from 'react';
import { api, readData } from '../../../api/client.ts';
import { Loading, Problem } from '../../../parts/states.tsx';
import { TextDiff } from '../../../parts/diff/text-diff.tsx';
import {
  ChangedNotice,
  createMatch,
  isChangedSince,
} from '../../../parts/forms/changed-notice.tsx';
import { useRights } from '../../../session/session.ts';
import { organizationQuery, type PolicyContents } from '../policy-queries.ts';
import { readState } from '../policy-words.ts';
import { AboutPart } from './about-part.tsx';
import { formatRule, listActionLines, parseRule } from './rule-text.ts';
import type { Draft } from './use-draft.ts';

const ConditionBuilder = lazy(async () => ({
  default: (await import('./condition-builder.tsx')).ConditionBuilder,
}));
const RuleEditor = lazy(async () => ({ default: (await import('./rule-editor.tsx')).RuleEditor }));

export function RulePart({ draft }: { draft: Draft }): ReactNode {
  const { source, setSource, errors } = draft;
  const { mayWrite } = useRights();
  const parsed = useMemo(() => parseRule(source), [source]);
  const actionLines = useMemo(() => listActionLines(source), [source]);
  return (
    <>
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Stack gap="xs">
            <Suspense fallback={<Loading />}>
              <RuleEditor
                source={source}
                onChange={setSource}
                errors={errors}
                isReadOnly={!mayWrite}
              />
            </Suspense>
            <Stack gap={2} role="status" aria-label="Errors of the rule">
              {errors.map(({ line, column, message }) => (
                <Text key={`${line}:${column}`} size="sm" c="var(--assay-blocked)">
                  Line {line}, column {column}: {message}
                </Text>
              ))}
            </Stack>
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Suspense fallback={<Loading />}>
            <Stack gap="md">
              <AboutPart
                contents={parsed}
                draft={draft}
                onChange={(changed) => setSource(formatRule(changed))}
                isReadOnly={!mayWrite}
              />
              <ConditionBuilder
                policy={parsed}
                actionLines={actionLines}
                errors={errors}
                onChange={(changed) => setSource(formatRule(changed))}
                isReadOnly={!mayWrite}
              />
            </Stack>
          </Suspense>
        </Grid.Col>
      </Grid>
      {mayWrite && <SaveBar draft={draft} />}
    </>
  );
}

function describeSaving(contents: PolicyContents | null): string {
  if (contents && readState(contents) === 'observe')
    return 'Saved, it observes: it holds nothing, and its effect shows what it would do.';
  return 'Saved, it judges from the next decision on. Try and replay it first.';
}

/** Managers save; with approvals required, or for others, a change is proposed. */
function SaveBar({ draft }: { draft: Draft }): ReactNode {
  const { policy, contents, isChanged, workspaceId } = draft;
  const { mayManage } = useRights();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { data: organization } = useQuery(organizationQuery);
  const isProposal = !mayManage || organization?.requirePolicyApproval === true;
  const save = useMutation({
    async mutationFn(body: PolicyContents) {
      const place = workspaceId === null ? {} : { workspaceId };
      if (!policy) return readData(api.POST('/api/v1/policies', { body: { ...body, ...place } }));
      const params = { path: { id: policy.id } };
      return readData(api.PATCH('/api/v1/policies/{id}', { params, body, ...createMatch(policy) }));
    },
    async onError(error) {
      draft.markSent(false);
      if (isChangedSince(error)) await queries.invalidateQueries({ queryKey: ['policies'] });
    },
    async onSuccess({ id }) {
      await queries.invalidateQueries({ queryKey: ['policies'] });
      if (!policy) await navigate({ to: '/policies/$policyId', params: { policyId: id } });
    },
  });
  const propose = useMutation({
    mutationFn: (body: PolicyContents) =>
      readData(
        api.POST('/api/v1/policies/approvals', {
          params: { header: workspaceId === null ? {} : { 'x-workspace-id': workspaceId } },
          body: policy
            ? { policyId: policy.id, policy: body, submit: true }
            : { policy: body, submit: true },
        }),
      ),
    async onSuccess({ id }) {
      await queries.invalidateQueries({ queryKey: ['policies'] });
      await navigate({ to: '/policies/approvals/$approvalId', params: { approvalId: id } });
    },
  });
  const isDisabled = contents === null || !isChanged;
  const run = (change: { mutate: (body: PolicyContents) => void }) => () => {
    if (!contents) return;
    if (change === save) draft.markSent(true);
    change.mutate(contents);
  };
  return (
    <Stack gap="xs">
      <Group gap="xs">
        {!isProposal && (
          <Button disabled={isDisabled} loading={save.isPending} onClick={run(save)}>
            {policy ? 'Save' : 'Save the policy'}
          </Button>
        )}
        <Button
          variant={isProposal ? 'filled' : 'default'}
          disabled={isDisabled}
          loading={propose.isPending}
          onClick={run(propose)}
        >
          Propose it
        </Button>
        <Text size="sm" c="dimmed">
          {isProposal ? 'Others review and enforce it.' : describeSaving(contents)}
        </Text>
      </Group>
      {save.error && !isChangedSince(save.error) && <Problem error={save.error} />}
      <ChangedNotice
        form={{ changes: [], takeTheirs: draft.takeTheirs }}
        isRefused={draft.theirs !== null || isChangedSince(save.error)}
        onSave={run(save)}
        onTaken={save.reset}
      >
        {draft.theirs && (
          <TextDiff before={draft.theirs.before} after={draft.theirs.now} label="What they saved" />
        )}
      </ChangedNotice>
      {propose.error && <Problem error={propose.error} />}
    </Stack>
  );
}
