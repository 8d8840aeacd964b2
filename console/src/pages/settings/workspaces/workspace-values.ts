// The settings of a workspace as a form holds them: hours and minutes, and empty where there is none.
import type { components } from '../../../api/schema.gen.d.ts';

export type Workspace = components['schemas']['Workspace'];
type Change = components['schemas']['WorkspaceChange'];
type Amount = number | '';

export const PRIORITIES = ['critical', 'high', 'medium', 'low'] as const;

export interface WorkspaceValues {
  name: string;
  escalateTo: string | null;
  sla: Record<(typeof PRIORITIES)[number], Amount>;
  /** Minutes. */
  expiry: Amount;
  isObservedReviewed: boolean;
  reviewLinks: Workspace['reviewLinks'];
  preventSelfReview: Workspace['preventSelfReview'];
  approvals: Amount;
  days: Amount;
}

export function toValues(workspace: Workspace): WorkspaceValues {
  const { reviewSla, reviewExpiry, autoApproval, observed, escalationPolicy } = workspace;
  return {
    name: workspace.name,
    escalateTo: escalationPolicy.escalateTo,
    sla: {
      critical: reviewSla.critical ?? '',
      high: reviewSla.high ?? '',
      medium: reviewSla.medium ?? '',
      low: reviewSla.low ?? '',
    },
    expiry: reviewExpiry ? reviewExpiry.expiresIn / 60 : '',
    isObservedReviewed: observed.review,
    reviewLinks: workspace.reviewLinks,
    preventSelfReview: workspace.preventSelfReview,
    approvals: autoApproval?.approvals ?? '',
    days: autoApproval?.days ?? '',
  };
}

const toNumber = (amount: Amount): number | null => (amount === '' ? null : amount);

export function toChange(values: WorkspaceValues): Change {
  const { sla, expiry, approvals, days } = values;
  return {
    name: values.name,
    escalationPolicy: { escalateTo: values.escalateTo },
    reviewSla: {
      critical: toNumber(sla.critical),
      high: toNumber(sla.high),
      medium: toNumber(sla.medium),
      low: toNumber(sla.low),
    },
    reviewExpiry: expiry === '' ? null : { expiresIn: Math.round(expiry * 60) },
    observed: { review: values.isObservedReviewed },
    reviewLinks: values.reviewLinks,
    preventSelfReview: values.preventSelfReview,
    autoApproval: approvals === '' || days === '' ? null : { approvals, days },
  };
}
