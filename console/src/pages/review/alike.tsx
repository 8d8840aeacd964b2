// How people decided held decisions that are like the chosen one: counts, and each to look at.
import { Group, Loader, Stack, Text, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { api, readData } from '../../api/client.ts';
import { membersQuery } from '../../api/shared-queries.ts';
import { waitLonger } from '../../api/wait-longer.ts';
import type { components } from '../../api/schema.gen.d.ts';
import { describeAction, readAction, readPrompt, readToolCall } from '../../parts/decision-text.ts';
import { TextLink } from '../../parts/links.tsx';
import { Problem } from '../../parts/states.tsx';
import { StoredLine } from '../../parts/text.tsx';
import { Ago } from '../../parts/time.tsx';
import { Sign } from '../../parts/verdict.tsx';
import { parseAction, readMember, type ReviewItem } from './review-queries.ts';

type Found = components['schemas']['MemoryAnswer']['results'][number];

const MOST_ASKED = 500;
const MOST_COMPARED = 50;
const MOST_SHOWN = 5;
/** Below it, words have a subject in common at most. */
const LEAST_ALIKE = 0.6;
/** A reviewer who passes over an item asks for nothing. */
const REST_MS = 600;
const INDEXING_MS = 5000;

const readToolName = (action: unknown): string | null => readToolCall(action)?.tool ?? null;

/** What a person decided about the same tool, or about a text where the action is one. */
const createAlikeQuery = (item: ReviewItem) =>
  queryOptions({
    queryKey: ['alike', item.traceId],
    staleTime: 60_000,
    retry: false,
    async queryFn({ signal }) {
      const action = parseAction(item);
      const inputContext = readMember(item.context, 'inputContext');
      const query = (readPrompt({ inputContext }) ?? describeAction(action)).slice(0, MOST_ASKED);
      const body = { query, topK: MOST_COMPARED, minScore: LEAST_ALIKE, judged: true };
      const { results, behind } = await readData(
        api.POST('/api/v1/traces/memory', { body, signal }),
      );
      const tool = readToolName(action);
      const alike = results.filter(
        ({ traceId, trace }) =>
          traceId !== item.traceId && readToolName(readAction(trace)) === tool,
      );
      return { alike, behind };
    },
    // The first search of an organisation begins the index.
    refetchInterval: (query) => {
      const { data } = query.state;
      return data && data.behind > 0 && data.alike.length === 0
        ? waitLonger(INDEXING_MS, query)
        : false;
    },
  });

export function Alike({ item }: { item: ReviewItem }): ReactNode {
  const [settled] = useDebouncedValue(item.traceId, REST_MS);
  const { data, error, refetch } = useQuery({
    ...createAlikeQuery(item),
    enabled: settled === item.traceId,
  });
  // The plan does not include the search: the decision is made without it, as before.
  if (error instanceof ApiError && error.code === 'UPGRADE_REQUIRED') return null;
  return (
    <section aria-label="Similar decisions">
      <Title order={2} size="h3" mb={4}>
        Similar decisions
      </Title>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {!error && <Outcome found={data} />}
    </section>
  );
}

function Outcome({ found }: { found: { alike: Found[]; behind: number } | undefined }): ReactNode {
  if (!found) return <Loader size="xs" role="status" aria-label="Looking for similar decisions" />;
  const { alike, behind } = found;
  if (alike.length === 0 && behind > 0)
    return <Hint>Past decisions are being indexed. It takes a moment, once.</Hint>;
  if (alike.length === 0) return <Hint>No similar decision was reviewed yet.</Hint>;
  const approved = alike.filter(({ verdict }) => verdict?.decision === 'approve').length;
  return (
    <Stack gap={6}>
      <Group gap="md" role="status">
        <Sign tone="good">{`${approved} approved`}</Sign>
        <Sign tone="bad">{`${alike.length - approved} rejected`}</Sign>
      </Group>
      <Stack component="ul" className="plain-list" gap={6} m={0} p={0}>
        {putRejectedFirst(alike)
          .slice(0, MOST_SHOWN)
          .map((one) => (
            <Judged key={one.traceId} found={one} />
          ))}
      </Stack>
    </Stack>
  );
}

/** A refusal says more than what is approved every day. */
const putRejectedFirst = (alike: readonly Found[]): Found[] =>
  ['reject', 'approve'].flatMap((said) =>
    alike.filter(({ verdict }) => verdict?.decision === said),
  );

const Hint = ({ children }: { children: string }): ReactNode => (
  <Text size="sm" c="dimmed" role="status">
    {children}
  </Text>
);

function Judged({ found }: { found: Found }): ReactNode {
  const { data: members = [] } = useQuery(membersQuery);
  const { traceId, trace, verdict } = found;
  if (!verdict) return null;
  const name = members.find(({ userId }) => userId === verdict.decidedBy)?.name;
  return (
    <Group component="li" gap="sm" wrap="nowrap">
      <Sign tone={verdict.decision === 'approve' ? 'good' : 'bad'}>
        {verdict.decision === 'approve' ? 'Approved' : 'Rejected'}
      </Sign>
      <TextLink to="/decisions/$traceId" params={{ traceId }} miw={0} flex={1}>
        <StoredLine value={describeAction(readAction(trace))} />
      </TextLink>
      <Text size="sm" c="dimmed" visibleFrom="sm">
        {name}
      </Text>
      <Ago at={verdict.decidedAt} />
    </Group>
  );
}
