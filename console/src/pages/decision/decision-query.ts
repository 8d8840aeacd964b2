// One decision, and the entries of the chain that are about it.
import { queryOptions } from '@tanstack/react-query';
import { api, readData } from '../../api/client.ts';

export const createDecisionQuery = (traceId: string) =>
  queryOptions({
    queryKey: ['decisions', 'one', traceId],
    queryFn: ({ signal }) =>
      readData(api.GET('/api/v1/traces/{id}', { params: { path: { id: traceId } }, signal })),
  });

export const createEntriesQuery = (traceId: string) =>
  queryOptions({
    queryKey: ['decisions', 'entries', traceId],
    queryFn: ({ signal }) =>
      readData(
        api.GET('/api/v1/hash-chain/entry/{traceId}', { params: { path: { traceId } }, signal }),
      ),
  });
