// The small button beside a part of a form that takes it away.
import { ActionIcon } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from '../icons.tsx';

/** `what`: what it takes away, such as `step 2`. */
export const TakeAway = ({ what, onClick }: { what: string; onClick: () => void }): ReactNode => (
  <ActionIcon
    variant="subtle"
    color="gray"
    size="lg"
    onClick={onClick}
    aria-label={`Take ${what} away`}
  >
    <Icon name="x" size={14} />
  </ActionIcon>
);
