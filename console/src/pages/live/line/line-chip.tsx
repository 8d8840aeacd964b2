// One part of the search line: its text changes it, and a button takes it away.
import { CloseButton, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { agentsQuery, policiesQuery, workspacesQuery } from '../../../api/shared-queries.ts';
import { type FieldPart, printPart, type SearchPart } from '../../../parts/search/search-line.ts';
import { markInvisible } from '../../../parts/text.tsx';
import classes from './query-line.module.css';

interface Props {
  part: SearchPart;
  isFaulty: boolean;
  onEdit: () => void;
  onRemove: () => void;
}

const ID = /^[0-9a-f]{24}$/;
const SHOWN_MAX = 80;

/** The value as people know it: addresses name agents, policies and workspaces by their ids. */
function useShownValue(part: SearchPart): string | null {
  const { field, value }: Partial<FieldPart> = part.kind === 'field' ? part : {};
  const isId = value !== undefined && ID.test(value);
  const agents = useQuery({ ...agentsQuery, enabled: isId && field === 'agent' });
  const policies = useQuery({ ...policiesQuery, enabled: isId && field === 'policy' });
  const workspaces = useQuery({ ...workspacesQuery, enabled: isId && field === 'workspace' });
  const known: readonly { _id: string; name: string }[] =
    { agent: agents.data, policy: policies.data, workspace: workspaces.data }[field as 'agent'] ??
    [];
  return (isId && known.find(({ _id }) => _id === value)?.name) || null;
}

export function LineChip({ part, isFaulty, onEdit, onRemove }: Props): ReactNode {
  const name = useShownValue(part);
  const shown = part.kind === 'field' && name !== null ? { ...part, value: name } : part;
  const text = markInvisible(printPart(shown).slice(0, SHOWN_MAX)).replaceAll(/\s+/g, ' ');
  return (
    <span className={classes.chip} data-faulty={isFaulty}>
      <UnstyledButton title="Change it" dir="auto" className={classes.text} onClick={onEdit}>
        {text}
      </UnstyledButton>
      <CloseButton size={24} iconSize={12} aria-label={`Remove ${text}`} onClick={onRemove} />
    </span>
  );
}
