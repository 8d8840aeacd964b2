// Too many requests: what is shown stays, and is read again when the service takes requests. A band says so.
import { Box, Text } from '@mantine/core';
import { type Query, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useSyncExternalStore } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { Limited } from '../../parts/states.tsx';

/** When a query that shows what it knew may be read again; null: it was not refused. */
function findLimit({ state: { data, error } }: Query): number | null {
  return data !== undefined && error instanceof ApiError ? error.limitedUntil : null;
}

export function LimitBand(): ReactNode {
  const queries = useQueryClient();
  const cache = queries.getQueryCache();
  const until = useSyncExternalStore(
    (notify) => cache.subscribe(notify),
    () => Math.max(0, ...cache.findAll({ type: 'active' }).map((query) => findLimit(query) ?? 0)),
  );
  if (until === 0) return null;
  const retry = (): void =>
    void queries.invalidateQueries({ predicate: (query) => findLimit(query) !== null });
  return (
    <Box mb="md">
      <Limited at={until} key={until} onRetry={retry}>
        <Text size="sm">What is shown stays, and may be a little old.</Text>
      </Limited>
    </Box>
  );
}
