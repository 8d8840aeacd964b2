// Whether a policy judges: all decisions, a share of them, or none.
import { Badge, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Policy } from '../policy-queries.ts';
import { formatPercent } from '../policy-words.ts';

export function PolicyState({ policy }: { policy: Policy }): ReactNode {
  if (policy.canary)
    return <Badge color="accent">Canary {formatPercent(policy.canary.share)}</Badge>;
  return <Text size="sm">{policy.enabled ? 'Enabled' : 'Off'}</Text>;
}
