// What is read of one decision: its judgement, and the entries of the chain that are about it.
import { queryOptions } from '@tanstack/react-query';
import { api, readData } from '../../api/client.ts';

/** Each policy that judged it, each condition, and what it saw. */
export const createExplanationQuery = (traceId: string) =>
  queryOptions({
    queryKey: ['decisions', 'explanation', traceId],
    queryFn: ({ signal }) =>
      readData(
        api.GET('/api/v1/traces/{id}/explanation', { params: { path: { id: traceId } }, signal }),
      ),
    // What is erased explains nothing any more.
    retry: false,
  });

export const createEntriesQuery = (traceId: string) =>
  queryOptions({
    queryKey: ['decisions', 'entries', traceId],
    queryFn: ({ signal }) =>
      readData(
        api.GET('/api/v1/hash-chain/entry/{traceId}', { params: { path: { traceId } }, signal }),
      ),
  });

/** The execution of an action that was claimed, with its outcome. */
export const createExecutionsQuery = (traceId: string) =>
  queryOptions({
    queryKey: ['decisions', 'executions', traceId],
    queryFn: ({ signal }) =>
      readData(
        api.GET('/api/v1/traces/{id}/executions', { params: { path: { id: traceId } }, signal }),
      ),
  });
