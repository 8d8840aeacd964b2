// Erases decisions: by the person they are about, by words, or by their ids; shows what would go before anything goes.
import {
  Button,
  Code,
  Group,
  Paper,
  SegmentedControl,
  Stack,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { api, readData } from '../../api/client.ts';
import type { components } from '../../api/schema.gen.d.ts';
import { NamedDecisions, splitIds } from '../../parts/record/named-decisions.tsx';
import { Problem } from '../../parts/states.tsx';

type Impact = components['schemas']['ErasureImpact'];
type Way = 'subjectId' | 'text' | 'traceIds';

const route = getRouteApi('/session/evidence');

const WAYS: { value: Way; label: string }[] = [
  { value: 'subjectId', label: 'Person' },
  { value: 'text', label: 'Words' },
  { value: 'traceIds', label: 'Ids' },
];

interface Chosen {
  way: Way;
  text: string;
}

const toBody = ({ way, text }: Chosen, reason: string) =>
  way === 'traceIds' ? { traceIds: splitIds(text), reason } : { [way]: text.trim(), reason };

/** In two steps: what it would take, then that it is done. */
export function EraseForm(): ReactNode {
  const { about = '' } = route.useSearch();
  const queries = useQueryClient();
  const [chosen, setChosen] = useState<Chosen>({
    way: about === '' ? 'subjectId' : 'traceIds',
    text: about,
  });
  const [reason, setReason] = useState('');
  const acknowledge = useMutation({
    mutationFn: () =>
      readData(api.POST('/api/v1/erasure/acknowledge', { body: toBody(chosen, reason) })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['evidence', 'erasures'] }),
  });
  const impact = acknowledge.data;
  const isEmpty = chosen.text.trim() === '' || reason.trim() === '';
  return (
    <Paper p="md" component="section" aria-label="Erase decisions">
      <Title order={2}>Erase decisions</Title>
      <Text size="sm" c="dimmed" mb="sm">
        Their values are destroyed for good. You see what would be erased before anything is.
      </Text>
      <Stack gap="sm" maw={640}>
        <Choice chosen={chosen} isLocked={impact !== undefined} onChange={setChosen} />
        <Textarea
          label="Reason"
          placeholder="Such as the request of the person concerned"
          value={reason}
          disabled={impact !== undefined}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        {impact ? (
          <Confirmation
            impact={impact}
            onBack={acknowledge.reset}
            onErased={(isAll) => {
              acknowledge.reset();
              if (!isAll) return;
              setChosen({ ...chosen, text: '' });
              setReason('');
            }}
          />
        ) : (
          <Button
            variant="default"
            w="fit-content"
            disabled={isEmpty}
            loading={acknowledge.isPending}
            onClick={() => acknowledge.mutate()}
          >
            Show what would be erased
          </Button>
        )}
        {acknowledge.error && <Problem error={acknowledge.error} />}
      </Stack>
    </Paper>
  );
}

interface ChoiceProps {
  chosen: Chosen;
  isLocked: boolean;
  onChange: (chosen: Chosen) => void;
}

function Choice({ chosen: { way, text }, isLocked, onChange }: ChoiceProps): ReactNode {
  const props = {
    value: text,
    disabled: isLocked,
    onChange: (event: { currentTarget: { value: string } }) =>
      onChange({ way, text: event.currentTarget.value }),
  };
  return (
    <>
      <SegmentedControl
        aria-label="Which decisions"
        w="fit-content"
        data={WAYS}
        value={way}
        disabled={isLocked}
        onChange={(next) => onChange({ way: next as Way, text: '' })}
      />
      {way === 'subjectId' && (
        <TextInput
          label="Person"
          description="The id by which your agents name the person they act for (actor), exactly"
          placeholder="user-4711"
          {...props}
        />
      )}
      {way === 'text' && (
        <TextInput
          label="Words"
          description="In the action, its arguments or the rationale; prompts are not searched"
          placeholder="“Jane Doe”"
          {...props}
        />
      )}
      {way === 'traceIds' && (
        <>
          <Textarea
            label="Ids of decisions"
            placeholder="trc_…"
            autosize
            minRows={2}
            maxRows={6}
            classNames={{ input: 'code-input' }}
            {...props}
          />
          <NamedDecisions label="Named decisions" ids={splitIds(text)} />
        </>
      )}
    </>
  );
}

const formatCount = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;

interface ConfirmationProps {
  impact: Impact;
  onBack: () => void;
  /** With whether nothing that was found is left. */
  onErased: (isAll: boolean) => void;
}

function Confirmation({ impact, onBack, onErased }: ConfirmationProps): ReactNode {
  const queries = useQueryClient();
  const { counts, impactDigest, found, acknowledgementId } = impact;
  const execute = useMutation({
    mutationFn: () =>
      readData(api.POST('/api/v1/erasure/execute', { body: { acknowledgementId, impactDigest } })),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: ['evidence'] });
      await queries.invalidateQueries({ queryKey: ['decisions'] });
      onErased((found?.more ?? 0) === 0);
    },
  });
  return (
    <Stack gap="xs" role="status">
      <Text size="sm">
        This destroys {formatCount(counts.values, 'value')} of{' '}
        {formatCount(counts.decisions, 'decision')}, with{' '}
        {formatCount(counts.reviewItems, 'review')} and {formatCount(counts.outboxRows, 'notice')}.
        Digest <Code>{impactDigest.slice(0, 12)}</Code>
      </Text>
      {found && <Found found={found} />}
      <Group gap="xs">
        <Button color="red" loading={execute.isPending} onClick={() => execute.mutate()}>
          Erase for good
        </Button>
        <Button variant="default" onClick={onBack}>
          Back
        </Button>
      </Group>
      {execute.error && <Problem error={execute.error} />}
    </Stack>
  );
}

function Found({ found }: { found: NonNullable<Impact['found']> }): ReactNode {
  const { more, unsearched } = found;
  return (
    <>
      <NamedDecisions label="The oldest that were found" ids={found.traceIds} />
      {more > 0 && (
        <Text size="sm">
          {formatCount(more, 'more decision')} {more === 1 ? 'was' : 'were'} found. Erase again for
          the rest.
        </Text>
      )}
      {unsearched > 0 && (
        <Text size="sm">
          {formatCount(unsearched, 'newer record')} not searched yet. Go back and look again in a
          moment.
        </Text>
      )}
    </>
  );
}
