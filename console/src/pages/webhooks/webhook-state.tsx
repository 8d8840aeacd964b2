// Whether a webhook is on, and why not.
import type { ReactNode } from 'react';
import { Sign } from '../../parts/verdict.tsx';
import type { Webhook } from './webhook-queries.ts';

export const REASONS = {
  gone: 'The receiver answered that it is gone (410).',
  failing: 'Deliveries failed for days without one that arrived.',
} as const;

export function WebhookState({ webhook }: { webhook: Webhook }): ReactNode {
  if (webhook.isActive) return <Sign tone="good">On</Sign>;
  if (webhook.switchedOffAt !== null) return <Sign tone="bad">Switched off by Assay</Sign>;
  return <Sign tone="neutral">Off</Sign>;
}

export function describeSuccess({ deliveryCount, deliverySuccessCount }: Webhook): string {
  if (deliveryCount === 0) return 'None yet';
  const share = Math.floor((100 * deliverySuccessCount) / deliveryCount);
  return `${share} % of ${deliveryCount.toLocaleString('en')}`;
}
