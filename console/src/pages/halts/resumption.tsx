// Two people let it go on: one asks, and another one confirms exactly what was asked.
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { api, readData } from '../../api/client.ts';
import { ConfirmButton } from '../../parts/forms/confirm-button.tsx';
import { type Change, showNote, useChange } from '../../parts/forms/use-change.ts';
import { type HaltDetail, describeHalted } from '../../parts/halts/halt-queries.ts';
import { Section } from '../../parts/layout/section.tsx';
import { Problem } from '../../parts/states.tsx';
import { formatToMinute, useNow } from '../../parts/time.tsx';
import { useRights, useSession } from '../../session/session.ts';
import { MemberName } from '../../parts/record/thing-name.tsx';

type Request = NonNullable<HaltDetail['resumption']>;
type Goal = Request['to'];

interface Wanted {
  to: Goal;
  /** The digest of what is confirmed; absent: it is asked for. */
  confirm?: string;
}

const EFFECTS = { resumed: 'goes on', watched: 'is watched' } as const;

function useResumption(halt: HaltDetail): Change<Wanted, HaltDetail> {
  return useChange({
    change: (body: Wanted) =>
      readData(api.POST('/api/v1/halts/{id}/resume', { params: { path: { id: halt.id } }, body })),
    refresh: ['halts'],
    onDone: (after, { to }) =>
      showNote(
        after.state === to
          ? `${describeHalted(after)} ${EFFECTS[to]}`
          : 'It waits for a second person to confirm',
      ),
  });
}

export function Resumption({ halt }: { halt: HaltDetail }): ReactNode {
  const { mayManage } = useRights();
  const { resumption, state } = halt;
  if (resumption) return <Pending halt={halt} request={resumption} />;
  if (!mayManage)
    return (
      <Section
        title="Let it go on"
        lead="An owner or admin asks for it, and another one confirms."
      />
    );
  return (
    <Section
      title="Let it go on"
      lead="You ask for it; another owner or admin confirms. An owner may confirm alone after 15 minutes."
      actions={
        <>
          <Ask halt={halt} to="resumed" />
          {state === 'halted' && <Ask halt={halt} to="watched" />}
        </>
      }
    />
  );
}

const ASKS = {
  resumed: {
    label: 'Resume',
    text: 'Once a second person confirms, it acts again as its policies allow. Holds that it had go on where their time stood still.',
  },
  watched: {
    label: 'Watch instead',
    text: 'Once a second person confirms, it acts again, and a person decides each of its actions.',
  },
} as const;

function Ask({ halt, to }: { halt: HaltDetail; to: Goal }): ReactNode {
  const resume = useResumption(halt);
  const { label, text } = ASKS[to];
  return (
    <ConfirmButton
      label={label}
      title={`${label}: ${describeHalted(halt)}?`}
      confirmLabel="Ask for it"
      mutation={resume}
      onConfirm={() => resume.mutateAsync({ to })}
    >
      {text}
    </ConfirmButton>
  );
}

function Pending({ halt, request }: { halt: HaltDetail; request: Request }): ReactNode {
  const { user, role } = useSession();
  const { mayManage } = useRights();
  const resume = useResumption(halt);
  const isOwn = request.requestedBy === user._id;
  const isWaitOver = useNow() >= Date.parse(request.ownerMayConfirmAt);
  const mayConfirm = mayManage && (!isOwn || (role === 'owner' && isWaitOver));
  const { to, digest } = request;
  return (
    <Alert
      variant="outline"
      color="accent"
      title={to === 'resumed' ? 'It is asked that it goes on' : 'It is asked that it is watched'}
    >
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          <MemberName id={request.requestedBy} /> asked, {formatToMinute(request.requestedAt)}. It
          stays {halt.state} until a second person confirms, and the request ends{' '}
          {formatToMinute(request.expiresAt)}.
        </Text>
        {isOwn && !mayConfirm && (
          <Text size="sm">
            You asked for it, so another owner or admin confirms
            {role === 'owner' && `, or you from ${formatToMinute(request.ownerMayConfirmAt)} on`}.
          </Text>
        )}
        {mayConfirm && (
          <Group gap="xs">
            <Button
              size="xs"
              loading={resume.isPending}
              onClick={() => resume.mutate({ to, confirm: digest })}
            >
              {to === 'resumed' ? 'Confirm: let it go on' : 'Confirm: watch it'}
            </Button>
          </Group>
        )}
        {resume.error && <Problem error={resume.error} />}
      </Stack>
    </Alert>
  );
}
