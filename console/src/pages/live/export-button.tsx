// Saves all decisions that the line finds as a file.
import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { describeRemedy } from '../../api/api-error.ts';
import { saveFile } from '../../api/download.ts';
import { resolveTimes, type TraceFilters } from '../../parts/search/trace-filters.ts';

/** `filters` null: there is nothing to search by. */
export function ExportButton({ filters }: { filters: TraceFilters | null }): ReactNode {
  const { isPending, mutate } = useMutation({
    mutationFn(found: TraceFilters) {
      const query = Object.entries(resolveTimes(found, Date.now())).map(([name, value]) => [
        name,
        String(value),
      ]);
      return saveFile(`/api/v1/traces/export?${new URLSearchParams(query)}`);
    },
    onError: (error) =>
      notifications.show({
        title: error.message,
        message: describeRemedy(error),
        color: 'red',
        closeButtonProps: { 'aria-label': 'Close' },
      }),
  });
  return (
    <Button
      variant="default"
      loading={isPending}
      disabled={filters === null}
      onClick={() => filters && mutate(filters)}
    >
      Export
    </Button>
  );
}
