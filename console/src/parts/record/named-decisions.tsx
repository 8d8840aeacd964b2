// Says of ids that a person gives, or a search found, which decisions they are.
import { List } from '@mantine/core';
import type { ReactNode } from 'react';
import { DecisionName } from './decision-name.tsx';

const TRACE_ID = /^trc_[0-9a-f]{32}$/;
const SHOWN_MAX = 5;

/** The ids of a text, by blanks and commas. */
export const splitIds = (text: string): string[] => text.split(/[\s,]+/).filter((id) => id !== '');

interface Props {
  label: string;
  ids: readonly string[];
}

/** The first few; what is no id of a decision is left out. */
export function NamedDecisions({ label, ids }: Props): ReactNode {
  const known = [...new Set(ids)].filter((id) => TRACE_ID.test(id));
  if (known.length === 0) return null;
  const others = known.length - SHOWN_MAX;
  return (
    <List size="sm" spacing={2} aria-label={label} className="stored-text">
      {known.slice(0, SHOWN_MAX).map((traceId) => (
        <List.Item key={traceId}>
          <DecisionName traceId={traceId} />
        </List.Item>
      ))}
      {others > 0 && <List.Item>{others.toLocaleString('en')} more</List.Item>}
    </List>
  );
}
