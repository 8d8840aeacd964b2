// What is left of erased values right now, as the service finds it: in its stores, in older key stores, in exports.
import { List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, readData } from '../../api/client.ts';
import type { components } from '../../api/schema.gen.d.ts';
import { QueryView } from '../../parts/states.tsx';
import { formatToMinute } from '../../parts/time.tsx';
import { Sign } from '../../parts/verdict.tsx';

type Copies = components['schemas']['ErasureCopies'];

export function RemainingCopies({ id }: { id: string }): ReactNode {
  const query = useQuery({
    queryKey: ['evidence', 'erasures', id],
    queryFn: () => readData(api.GET('/api/v1/erasure/{id}', { params: { path: { id } } })),
  });
  return (
    <section aria-label="Copies that are left">
      <Text fw={650} size="sm" mb={4}>
        Copies that are left
      </Text>
      <QueryView query={query}>
        {({ copies }) => copies !== null && <Found copies={copies} />}
      </QueryView>
    </section>
  );
}

const OPENED_BY: Readonly<Record<Copies['backups'][number]['openedBy'], string>> = {
  'encryption-key': 'the encryption key opens them',
  custodian: 'the custodian could open them',
  nothing: 'nothing opens them',
};

function Found({ copies }: { copies: Copies }): ReactNode {
  const { data, searchWords, vectors, outbox, keyStore, backups, exports } = copies;
  const stored = [
    [data, 'values'],
    [searchWords, 'decisions in the words of the search'],
    [vectors, 'decisions in the memory search'],
    [outbox, 'messages that wait to be sent'],
    [keyStore, 'entries with their keys'],
  ] as const;
  const left = stored.filter(([count]) => count > 0);
  return (
    <>
      <Sign tone={left.length === 0 ? 'good' : 'bad'}>
        {left.length === 0 ? 'None in the stores of Assay' : 'The stores still hold some'}
      </Sign>
      <List size="sm" mt={4}>
        {left.map(([count, noun]) => (
          <List.Item key={noun}>
            {count.toLocaleString('en')} {noun}
          </List.Item>
        ))}
        {backups.map(({ epoch, from, until, openedBy }) => (
          <List.Item key={epoch}>
            Backups of the keys {describePeriod(from, until)}: {OPENED_BY[openedBy]}
          </List.Item>
        ))}
        {exports.map(({ bundleId, createdAt }) => (
          <List.Item key={bundleId}>
            An audit bundle of {formatToMinute(createdAt)} shows values
          </List.Item>
        ))}
      </List>
    </>
  );
}

function describePeriod(from: string | null, until: string | null): string {
  const parts = [
    from !== null && `from ${formatToMinute(from)}`,
    until !== null && `until ${formatToMinute(until)}`,
  ];
  return parts.filter(Boolean).join(' ') || 'of any time';
}
