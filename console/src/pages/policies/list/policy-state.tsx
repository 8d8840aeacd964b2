// Whether a policy judges: all decisions, a share of them, or none; or only observes.
import { Badge, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Policy } from '../policy-queries.ts';
import { formatPercent, readState } from '../policy-words.ts';

export function PolicyState({ policy }: { policy: Policy }): ReactNode {
  if (policy.canary)
    return <Badge color="accent">Canary {formatPercent(policy.canary.share)}</Badge>;
  const words = { on: 'Enabled', observe: 'Observes', off: 'Off' } as const;
  return <Text size="sm">{words[readState(policy)]}</Text>;
}
