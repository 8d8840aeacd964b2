// What is halted now, on every page: since when and why, and where to see it.
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { bindingQuery, type Halt, describeHalted } from '../../parts/halts/halt-queries.ts';
import { TextLink } from '../../parts/links.tsx';
import { markInvisible } from '../../parts/text.tsx';
import { formatSince } from '../../parts/time.tsx';
import { Mark } from '../../parts/verdict.tsx';
import { useRights } from '../../session/session.ts';
import classes from './halt-band.module.css';

/** The newest, each with a line of its own. */
const SHOWN_MAX = 3;

export function HaltBand(): ReactNode {
  const { isReader } = useRights();
  const { data = [] } = useQuery({ ...bindingQuery, enabled: isReader });
  // That members leave is no alarm.
  const halts = data.filter(({ cause }) => cause !== 'membership');
  const hidden = halts.length - SHOWN_MAX;
  return (
    <div role="status" aria-label="Halts">
      {halts.length > 0 && (
        <ul className={classes.band}>
          {halts.slice(0, SHOWN_MAX).map((halt) => (
            <Line key={halt.id} halt={halt} />
          ))}
          {hidden > 0 && (
            <li className={classes.line} data-state="halted">
              <Text size="sm">
                {hidden} more.{' '}
                <TextLink to="/halts" c="inherit">
                  See all
                </TextLink>
              </Text>
            </li>
          )}
        </ul>
      )}
    </div>
  );
}

function Line({ halt }: { halt: Halt }): ReactNode {
  const { id, state, since, reason } = halt;
  const why = reason === null ? '' : `: ${markInvisible(reason)}`;
  return (
    <li className={classes.line} data-state={state}>
      <Mark shape={state === 'halted' ? 'square' : 'diamond'} />
      <Text size="sm" fw={550} lineClamp={2}>
        {describeHalted(halt)} is {state} since {formatSince(since)}
        {why}
      </Text>
      <TextLink
        to="/halts/$haltId"
        params={{ haltId: id }}
        c="inherit"
        size="sm"
        fw={550}
        aria-label={`See ${describeHalted(halt)}`}
      >
        See
      </TextLink>
    </li>
  );
}
