// Saved views: search lines by name, of a person or of all members.
import { queryOptions } from '@tanstack/react-query';
import { api, readData } from '../../../api/client.ts';
import type { components } from '../../../api/schema.gen.d.ts';

export type SavedView = components['schemas']['SavedView'];

export const viewsQuery = queryOptions({
  queryKey: ['views'],
  queryFn: () => readData(api.GET('/api/v1/traces/views')),
  staleTime: 30_000,
});

export const createView = (body: components['schemas']['SavedViewInput']) =>
  readData(api.POST('/api/v1/traces/views', { body }));

export const deleteView = ({ _id: id }: SavedView) =>
  readData(api.DELETE('/api/v1/traces/views/{id}', { params: { path: { id } } }));
