// The filters of the audit log; the address holds them.
import { Button, Group, Paper, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { membersQuery } from '../../api/shared-queries.ts';
import { TextFilter } from '../../parts/lists/text-filter.tsx';
import { OUTCOMES } from './evidence.route.ts';

const route = getRouteApi('/session/evidence');

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const OBJECT_ID = /^[0-9a-f]{24}$/;
const MOST_WORDS = 100;

/** The filters as the API takes them; what it would refuse is left out. */
export function useAuditFilters(): Record<string, string> {
  const { action, member, outcome, words, from, to } = route.useSearch();
  return {
    ...(action !== undefined && { action: action.slice(0, MOST_WORDS) }),
    ...(member !== undefined && OBJECT_ID.test(member) && { userId: member }),
    ...(outcome !== undefined && { status: outcome }),
    ...(words !== undefined && { search: words.slice(0, MOST_WORDS) }),
    ...(isDay(from) && { dateFrom: from }),
    ...(isDay(to) && { dateTo: to }),
  };
}

const isDay = (text: string | undefined): text is string =>
  text !== undefined && DAY.test(text) && !Number.isNaN(Date.parse(text));

const OUTCOME_NAMES = { success: 'Done', failure: 'Refused' } as const;

interface Filters {
  action?: string | undefined;
  member?: string | undefined;
  outcome?: (typeof OUTCOMES)[number] | undefined;
  words?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}
const NONE = {
  action: undefined,
  member: undefined,
  outcome: undefined,
  words: undefined,
  from: undefined,
  to: undefined,
} satisfies Filters;

export function AuditFilters(): ReactNode {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { data: members = [] } = useQuery(membersQuery);
  const [cleared, setCleared] = useState(0);
  const change = (more: Filters): void =>
    void navigate({
      search: (known) => ({ ...known, ...more, before: undefined }),
      replace: true,
    });
  const toText = (name: 'action' | 'words' | 'from' | 'to') => ({
    text: search[name],
    onText: (text: string) => change({ [name]: text.trim() || undefined }),
  });
  const isFiltered = Object.keys(NONE).some((name) => search[name as keyof Filters] !== undefined);
  return (
    <Paper p="sm" key={cleared}>
      <Group gap="xs" align="flex-end">
        <TextFilter
          label="Did"
          placeholder="policy.update"
          flex="1 1 150px"
          maxLength={MOST_WORDS}
          {...toText('action')}
        />
        <Select
          label="Who"
          placeholder="All"
          clearable
          searchable
          data={members.map(({ userId, name }) => ({ value: userId, label: name }))}
          value={search.member ?? null}
          onChange={(member) => change({ member: member ?? undefined })}
          flex="1 1 150px"
        />
        <Select
          label="Outcome"
          placeholder="All"
          clearable
          data={OUTCOMES.map((value) => ({ value, label: OUTCOME_NAMES[value] }))}
          value={search.outcome ?? null}
          onChange={(outcome) => change({ outcome: (outcome as Filters['outcome']) ?? undefined })}
          flex="1 1 110px"
        />
        <TextFilter
          label="Words"
          placeholder="In detail or id"
          flex="1 1 150px"
          maxLength={MOST_WORDS}
          {...toText('words')}
        />
        <TextFilter label="From" placeholder="2026-01-31" flex="1 1 110px" {...toText('from')} />
        <TextFilter label="To" placeholder="2026-01-31" flex="1 1 110px" {...toText('to')} />
        {isFiltered && (
          <Button
            variant="subtle"
            onClick={() => {
              change(NONE);
              setCleared(cleared + 1);
            }}
          >
            Clear
          </Button>
        )}
      </Group>
    </Paper>
  );
}
