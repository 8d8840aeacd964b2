// The clocks of an incident: the act that each follows from, its checkpoints, and what completes one.
import { Button, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type ReactNode, useState } from 'react';
import { api, readData } from '../../api/client.ts';
import { FormDialog } from '../../parts/forms/form-dialog.tsx';
import { useChange } from '../../parts/forms/use-change.ts';
import { Section } from '../../parts/layout/section.tsx';
import { DataTable, RowActions } from '../../parts/lists/data-table.tsx';
import { TextLink } from '../../parts/links.tsx';
import { NamedDecisions, splitIds } from '../../parts/record/named-decisions.tsx';
import { markInvisible } from '../../parts/text.tsx';
import { Countdown, formatToMinute, useNow } from '../../parts/time.tsx';
import { Sign } from '../../parts/verdict.tsx';
import { useRights } from '../../session/session.ts';
import {
  type Checkpoint,
  type Clock,
  type Incident,
  isOver,
  findCheckpointState,
  REGULATOR_NAMES,
} from './incident-texts.ts';
import { toTitle } from '../../parts/words.ts';

export function Clocks({ incident }: { incident: Incident }): ReactNode {
  const [completed, setCompleted] = useState<Checkpoint | null>(null);
  if (incident.clocks.length === 0)
    return (
      <Section title="Clocks">
        <Text size="sm" c="dimmed">
          No regulator was named when the incident was opened, so no clock runs.
        </Text>
      </Section>
    );
  return (
    <>
      {incident.clocks.map((clock) => (
        <ClockSection
          key={clock._id}
          clock={clock}
          isOpen={!isOver(incident)}
          hasEvidence={incident.clocks.some(({ checkpoints }) => checkpoints.some(isEvidenced))}
          onComplete={setCompleted}
        />
      ))}
      {completed && (
        <CompletionDialog
          incident={incident}
          checkpoint={completed}
          onClose={() => setCompleted(null)}
        />
      )}
    </>
  );
}

interface ClockProps {
  clock: Clock;
  isOpen: boolean;
  /** Whether any checkpoint of the incident has some: the tables of its clocks line up. */
  hasEvidence: boolean;
  onComplete: (checkpoint: Checkpoint) => void;
}

function ClockSection({ clock, isOpen, hasEvidence, onComplete }: ClockProps): ReactNode {
  const { mayWrite } = useRights();
  const now = useNow();
  const { regulator, articleRef, source, applicabilityReason } = clock;
  return (
    <Section
      title={REGULATOR_NAMES[regulator]}
      lead={`${articleRef}. ${source}${applicabilityReason ? `. ${markInvisible(applicabilityReason)}` : ''}`}
    >
      <DataTable
        label={`Checkpoints of ${REGULATOR_NAMES[regulator]}`}
        isPlain
        isEven
        rows={clock.checkpoints}
        toKey={({ id }) => id}
        columns={[
          { title: 'Checkpoint', cell: ({ label }) => toTitle(label) },
          { title: 'Deadline', cell: ({ deadlineAt }) => formatToMinute(deadlineAt) },
          { title: 'State', cell: (checkpoint) => <State checkpoint={checkpoint} now={now} /> },
          ...(hasEvidence
            ? [
                {
                  title: 'Evidence',
                  cell: (checkpoint: Checkpoint) => <Evidence checkpoint={checkpoint} />,
                },
              ]
            : []),
          {
            title: 'Actions',
            isTitleHidden: true,
            isEnd: true,
            cell: (checkpoint) =>
              mayWrite &&
              isOpen &&
              checkpoint.completedAt === null && (
                <RowActions>
                  <Button
                    variant="default"
                    size="xs"
                    onClick={() => onComplete(checkpoint)}
                    aria-label={`Complete ${checkpoint.label}`}
                  >
                    Complete
                  </Button>
                </RowActions>
              ),
          },
        ]}
      />
    </Section>
  );
}

function State({ checkpoint, now }: { checkpoint: Checkpoint; now: number }): ReactNode {
  const state = findCheckpointState(checkpoint, now);
  if (state === 'done')
    return (
      <div>
        <Sign tone="good">Done</Sign>
        <Text size="xs" c="dimmed">
          {formatToMinute(checkpoint.completedAt ?? '')}
        </Text>
      </div>
    );
  if (state === 'late') return <Sign tone="bad">Late</Sign>;
  return <Countdown to={checkpoint.deadlineAt} />;
}

const isEvidenced = ({ evidenceTraceId, evidenceUrl, notes }: Checkpoint): boolean =>
  evidenceTraceId !== null || evidenceUrl !== null || notes !== null;

function Evidence({ checkpoint }: { checkpoint: Checkpoint }): ReactNode {
  const { evidenceTraceId: traceId, evidenceUrl, notes } = checkpoint;
  if (!isEvidenced(checkpoint)) return null;
  return (
    <div>
      {traceId !== null && (
        <TextLink to="/decisions/$traceId" params={{ traceId }} size="sm">
          Decision
        </TextLink>
      )}
      {evidenceUrl !== null && <Text size="sm">{markInvisible(evidenceUrl)}</Text>}
      {notes !== null && <Text size="sm">{markInvisible(notes)}</Text>}
    </div>
  );
}

interface CompletionProps {
  incident: Incident;
  checkpoint: Checkpoint;
  onClose: () => void;
}

function CompletionDialog({ incident, checkpoint, onClose }: CompletionProps): ReactNode {
  const form = useForm({ initialValues: { notes: '', evidenceUrl: '', evidenceTraceId: '' } });
  const complete = useChange({
    change: (values: typeof form.values) => {
      const body = { ...values, evidenceUrl: values.evidenceUrl || null };
      const path = { id: incident._id, checkpointId: checkpoint.id };
      return readData(
        api.POST('/api/v1/incidents/{id}/checkpoints/{checkpointId}/complete', {
          params: { path },
          body,
        }),
      );
    },
    refresh: ['incidents'],
    note: `${checkpoint.label} is completed`,
    onDone: onClose,
    form,
  });
  return (
    <FormDialog
      isOpen
      title={`Complete ${checkpoint.label}`}
      submitLabel="Complete it"
      mutation={complete}
      onClose={onClose}
      onSubmit={form.onSubmit((values) => complete.mutate(values))}
    >
      <Text size="sm" c="dimmed">
        It is sealed into the chain with what you enter, and cannot be taken back.
      </Text>
      <Textarea
        label="What was done"
        autosize
        minRows={2}
        data-autofocus
        {...form.getInputProps('notes')}
      />
      <TextInput
        label="Address of the evidence"
        placeholder="https://"
        {...form.getInputProps('evidenceUrl')}
      />
      <TextInput
        label="Decision that shows it"
        placeholder="trc_…"
        {...form.getInputProps('evidenceTraceId')}
      />
      <NamedDecisions label="Named decision" ids={splitIds(form.values.evidenceTraceId)} />
    </FormDialog>
  );
}
