// Webhooks and the log of their deliveries. An organisation has at most 100, so one page holds them all.
import { queryOptions } from '@tanstack/react-query';
import { api, readData, readEnvelope } from '../../api/client.ts';
import type { components } from '../../api/schema.gen.d.ts';
import { createPagedQuery } from '../../parts/lists/paged-list.tsx';
import type { DELIVERY_STATUSES } from './webhooks.route.ts';

export type Webhook = components['schemas']['Webhook'];
export type WebhookInput = components['schemas']['WebhookInput'];
export type Delivery = components['schemas']['WebhookDelivery'];

export const webhooksQuery = queryOptions({
  queryKey: ['webhooks'],
  queryFn: () => readData(api.GET('/api/v1/webhooks', { params: { query: { limit: 200 } } })),
});

export const createDeliveriesQuery = (id: string, status?: (typeof DELIVERY_STATUSES)[number]) =>
  createPagedQuery<Delivery>(['deliveries', id, status], (page, signal) => {
    const query = { page, limit: 50, ...(status && { status }) };
    const params = { path: { id }, query };
    return readEnvelope(api.GET('/api/v1/webhooks/{id}/deliveries', { params, signal }));
  });

export const EVENTS = [
  { value: '*', label: 'Everything, also holds and blocks' },
  { value: 'trace.created', label: 'Approved decisions (trace.created)' },
  { value: 'review.decided', label: 'Verdicts of reviewers (review.decided)' },
  { value: 'review.expired', label: 'Holds that expired (review.expired)' },
  { value: 'review.withdrawn', label: 'Holds that were withdrawn (review.withdrawn)' },
  { value: 'execution.recorded', label: 'Executions (execution.recorded)' },
  { value: 'alert.triggered', label: 'Matches of alert rules (alert.triggered)' },
  { value: 'agent.created', label: 'New agents (agent.created)' },
  { value: 'setting.updated', label: 'Changed settings (setting.updated)' },
] as const;

export const TYPES = [
  { value: 'custom', label: 'Server (signed JSON)' },
  { value: 'chat_a', label: 'Slack' },
  { value: 'chat_b', label: 'Microsoft Teams' },
] as const;

export const describeType = (type: Webhook['type']): string =>
  TYPES.find(({ value }) => value === type)?.label ?? type;
