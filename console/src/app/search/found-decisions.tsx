// The newest decisions that a search line finds, for the search box.
import { useDebouncedValue } from '@mantine/hooks';
import type { SpotlightActionData } from '@mantine/spotlight';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { api, readData } from '../../api/client.ts';
import type { Decision } from '../../parts/decision-stream.ts';
import { describeProposal } from '../../parts/decision-text.ts';
import { Icon } from '../../parts/icons.tsx';
import { parseLine, printLine } from '../../parts/search/search-line.ts';
import { resolveTimes, type TraceFilters } from '../../parts/search/trace-filters.ts';
import { useTranslation } from '../../parts/search/use-translation.ts';
import { markInvisible } from '../../parts/text.tsx';
import { describeVerdict } from '../../parts/verdict.tsx';
import { useRights } from '../../session/session.ts';

const SHOWN_MAX = 5;
const TYPING_MS = 400;
const LEAST_CHARACTERS = 2;
const LABEL_CHARACTERS = 120;

const createFoundQuery = (filters: TraceFilters) =>
  queryOptions({
    queryKey: ['decisions', 'found', filters],
    queryFn: ({ signal }) => {
      const query = { ...resolveTimes(filters, Date.now()), limit: SHOWN_MAX };
      return readData(api.GET('/api/v1/traces', { params: { query }, signal }));
    },
    staleTime: 30_000,
  });

interface Found {
  decisions: SpotlightActionData[];
  /** Why the text cannot be searched; null: it can. */
  fault: string | null;
}

const describeDecision = ({ status, agentName, agentId }: Decision): string =>
  `${describeVerdict(status)} · ${markInvisible(agentName ?? agentId)}`;

/** `keywords`: the box shows what has the query in it. */
export function useFoundDecisions(query: string): Found {
  const navigate = useNavigate();
  const { isReader } = useRights();
  const [asked] = useDebouncedValue(query.trim(), TYPING_MS);
  const parts = useMemo(() => parseLine(asked), [asked]);
  const { filters, faults, isWaiting } = useTranslation(parts);
  const isSound = isReader && asked.length >= LEAST_CHARACTERS && faults.size === 0 && !isWaiting;
  const { data = [] } = useQuery({ ...createFoundQuery(filters), enabled: isSound });
  const [fault = null] = faults.values();
  const isCurrent = isSound && asked === query.trim();
  if (!isCurrent || data.length === 0) return { decisions: [], fault };
  const found = data.map((decision) => ({
    id: decision.traceId,
    label: markInvisible(describeProposal(decision).slice(0, LABEL_CHARACTERS)),
    description: describeDecision(decision),
    keywords: query,
    leftSection: <Icon name="decision" />,
    onClick: () =>
      void navigate({ to: '/decisions/$traceId', params: { traceId: decision.traceId } }),
  }));
  const all = {
    id: 'all-decisions',
    label: 'See all in Live',
    keywords: query,
    leftSection: <Icon name="live" />,
    onClick: () => void navigate({ to: '/live', search: { q: printLine(parts) } }),
  };
  return { decisions: [...found, all], fault: null };
}
