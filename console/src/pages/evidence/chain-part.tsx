// The chain: its head, its verification, a bundle of it to hand on, and its entries.
import { Button, Group, NumberInput, Paper, Stack, Text, Title } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useRef, useState } from 'react';
import { api, readData } from '../../api/client.ts';
import type { components } from '../../api/schema.gen.d.ts';
import { describeKind } from '../../parts/record/entry-kinds.ts';
import { Figures } from '../../parts/layout/facts.tsx';
import { Icon } from '../../parts/icons.tsx';
import { TextLink } from '../../parts/links.tsx';
import { TextFilter } from '../../parts/lists/text-filter.tsx';
import { ShowMore } from '../../parts/lists/paged-list.tsx';
import { SaveButton } from '../../parts/layout/save-button.tsx';
import { ThingName } from '../../parts/record/thing-name.tsx';
import { Empty, Problem, QueryView } from '../../parts/states.tsx';
import { type Column, DataTable } from '../../parts/lists/data-table.tsx';
import { ShortHash } from '../../parts/text.tsx';
import { Ago } from '../../parts/time.tsx';
import { chainStatusQuery, createEntriesQuery } from './evidence-queries.ts';

type Status = components['schemas']['ChainStatus'];
const route = getRouteApi('/session/evidence');

export function ChainPart(): ReactNode {
  const status = useQuery(chainStatusQuery);
  return (
    <QueryView query={status}>
      {(found) => (
        <Stack gap="md">
          <Head status={found} />
          <Verification />
          <BundleForm last={found.lastSequence} />
          <Entries />
        </Stack>
      )}
    </QueryView>
  );
}

function Head({ status }: { status: Status }): ReactNode {
  const { totalEntries, lastChainHash, lastEntryAt, lastVerifiedAt, lastVerificationOk } = status;
  const isBroken = lastVerificationOk === false;
  return (
    <Figures
      items={[
        {
          label: 'Entries',
          value: totalEntries.toLocaleString('en'),
          note: lastEntryAt ? <Ago at={lastEntryAt} /> : 'none yet',
        },
        {
          label: 'Head',
          value: lastChainHash ? <ShortHash value={lastChainHash} label="hash of the head" /> : '—',
          note: 'Note number and hash: they show later that nothing was written again.',
        },
        {
          label: 'Last verified',
          value: lastVerifiedAt ? <Ago at={lastVerifiedAt} isLarge /> : 'Never',
          note: isBroken ? 'It was broken.' : lastVerifiedAt && 'It was whole.',
        },
        {
          label: 'Anchors',
          value: status.anchorCount.toLocaleString('en'),
          note: status.lastAnchorAt ? <Ago at={status.lastAnchorAt} /> : 'none yet',
        },
      ]}
    />
  );
}

/** Verifies the whole chain at the service; it can be stopped here. */
function Verification(): ReactNode {
  const queries = useQueryClient();
  const stop = useRef<AbortController | null>(null);
  const verify = useMutation({
    mutationFn(query: { since?: 'verified' }) {
      const { signal } = (stop.current = new AbortController());
      return readData(api.POST('/api/v1/hash-chain/verify', { params: { query }, signal }));
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: ['evidence', 'status'] }),
  });
  const isStopped = stop.current?.signal.aborted ?? false;
  return (
    <Paper p="md" component="section" aria-label="Verification">
      <Title order={2}>Verify</Title>
      <Text size="sm" c="dimmed" mb="sm">
        The service computes every hash again, and compares every stored value with its commitment.
      </Text>
      <Group gap="xs">
        <Button
          loading={verify.isPending}
          onClick={() => verify.mutate({})}
          leftSection={<Icon name="verify" />}
        >
          Verify the whole chain
        </Button>
        <Button
          variant="default"
          disabled={verify.isPending}
          onClick={() => verify.mutate({ since: 'verified' })}
        >
          Only what is new
        </Button>
        {verify.isPending && (
          <Button variant="subtle" onClick={() => stop.current?.abort()}>
            Stop
          </Button>
        )}
      </Group>
      {verify.data && <VerificationResult result={verify.data} />}
      {verify.error && !isStopped && <Problem error={verify.error} />}
    </Paper>
  );
}

function VerificationResult({
  result,
}: {
  result: components['schemas']['ChainVerification'];
}): ReactNode {
  const { ok, totalChecked, fromSequence, durationMs, brokenAtSequence, brokenDetail } = result;
  const { payload, completeness } = result;
  const texts = [
    `${totalChecked.toLocaleString('en')} entries from ${fromSequence} in ${durationMs.toLocaleString('en')} ms`,
    `${payload.checked.toLocaleString('en')} stored values compared, ${payload.erased} erased, ${payload.unstored} never stored`,
    describeLength(completeness.ok),
  ];
  return (
    <Stack gap={2} mt="sm" role="status">
      <Text fw={650} c={ok ? 'var(--assay-approved)' : 'var(--assay-blocked)'}>
        {ok ? 'The chain is intact' : `Broken at entry ${brokenAtSequence ?? '?'}`}
      </Text>
      {brokenDetail !== null && <Text size="sm">{brokenDetail}</Text>}
      {texts.map((text) => (
        <Text key={text} size="sm" c="dimmed" className="numbers">
          {text}
        </Text>
      ))}
    </Stack>
  );
}

/** Compares the length with what was noted elsewhere; null: nothing was. */
function describeLength(isWhole: boolean | null): string {
  if (isWhole === null) return 'Nothing outside the chain says how far it reached';
  return isWhole
    ? 'It is as long as signed heads and earlier verifications say'
    : 'It is shorter than signed heads or earlier verifications say';
}

function BundleForm({ last }: { last: number }): ReactNode {
  const [from, setFrom] = useState<number | string>(1);
  const [to, setTo] = useState<number | string>('');
  const query = new URLSearchParams({
    fromSequence: String(from || 1),
    ...(to === '' ? {} : { toSequence: String(to) }),
  });
  return (
    <Paper p="md" component="section" aria-label="Evidence bundle">
      <Title order={2}>Export</Title>
      <Text size="sm" c="dimmed" mb="sm">
        An evidence bundle holds entries with commitments in place of their values. Those who have
        it need nothing of us to verify it.
      </Text>
      <Group gap="xs" align="flex-end">
        <NumberInput label="From entry" value={from} onChange={setFrom} min={1} w={130} />
        <NumberInput
          label="To entry"
          placeholder={last > 0 ? String(last) : 'the last'}
          value={to}
          onChange={setTo}
          min={1}
          w={130}
        />
        <SaveButton size="sm" path={`/api/v1/hash-chain/bundle?${query}`}>
          Save the bundle
        </SaveButton>
      </Group>
    </Paper>
  );
}

type Entry = components['schemas']['ChainEntry'];

/** `newest`: the sequence of the first row. */
const createColumns = (newest: number): readonly Column<Entry>[] => [
  { title: 'Entry', cell: ({ sequence }) => <span className="numbers">{sequence}</span> },
  { title: 'What', cell: ({ kind }) => describeKind(kind) },
  {
    title: 'About',
    cell: ({ traceId, sequence }) =>
      traceId && <SubjectLink traceId={traceId} at={Math.max(0, newest - sequence)} />,
  },
  {
    title: 'Chain hash',
    cell: ({ chainHash, sequence }) => (
      <ShortHash value={chainHash} label={`hash of entry ${sequence}`} />
    ),
  },
  { title: 'Time', isEnd: true, cell: ({ createdAt }) => <Ago at={createdAt} /> },
];

function Entries(): ReactNode {
  const { search } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useInfiniteQuery(createEntriesQuery(search));
  const change = (text: string): void =>
    void navigate({
      search: (known) => ({ ...known, search: text.trim() || undefined }),
      replace: true,
    });
  const entries = list.data?.pages.flatMap((page) => page.entries);
  return (
    <Stack gap="xs" component="section" aria-label="Entries">
      <TextFilter
        label="Entries"
        placeholder="Id of a decision, or chain hash"
        text={search}
        onText={change}
        leftSection={<Icon name="search" size={14} />}
        maw={480}
      />
      <QueryView query={{ ...list, data: entries }}>
        {(found) =>
          found.length === 0 ? (
            <Empty icon="evidence" title={search ? 'No entry begins so' : 'No entries yet'}>
              Every decision, verdict, correction and erasure becomes an entry.
            </Empty>
          ) : (
            <DataTable
              label="Entries"
              rows={found}
              toKey={({ sequence }) => String(sequence)}
              columns={createColumns(found[0]?.sequence ?? 0)}
            />
          )
        }
      </QueryView>
      <ShowMore list={list} />
    </Stack>
  );
}

/** Reports to regulators are entries of `checkpoint:<incident>:<regulator>:<report>`. */
const CHECKPOINT = /^checkpoint:([0-9a-f]{24}):/;

function SubjectLink({ traceId, at }: { traceId: string; at: number }): ReactNode {
  const [, incidentId] = CHECKPOINT.exec(traceId) ?? [];
  if (incidentId !== undefined) return <ThingName kind="incident" id={incidentId} />;
  if (traceId.startsWith('halt:'))
    return (
      <TextLink to="/halts" size="sm">
        Halt
      </TextLink>
    );
  if (traceId.startsWith('trc_')) return <ThingName kind="trace" id={traceId} at={at} />;
  return <Text size="sm">{traceId}</Text>;
}
