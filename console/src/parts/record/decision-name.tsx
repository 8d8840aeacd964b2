// A decision as people know it, by its action and its agent, where only its id is at hand.
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { createDecisionQuery } from '../../api/shared-queries.ts';
import { describeProposal } from '../decision-text.ts';
import { markInvisible } from '../text.tsx';

interface Props {
  traceId: string;
  /** Its place in a list: the first few are read. */
  at?: number;
  /** The agent stands beside it. */
  isShort?: boolean;
}

/** Each is a request. */
const MOST_READ = 20;
const KEPT_MS = 300_000;
const LONGEST = 90;

const trimText = (text: string): string =>
  text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;

/** What is not read, or is erased, keeps its id. */
export function DecisionName({ traceId, at = 0, isShort = false }: Props): ReactNode {
  const { data } = useQuery({
    ...createDecisionQuery(traceId),
    enabled: at < MOST_READ,
    staleTime: KEPT_MS,
    retry: false,
  });
  if (!data?.outputDecision) return markInvisible(traceId);
  const action = trimText(describeProposal(data));
  return markInvisible(isShort ? action : `${action} · ${data.agentName ?? data.agentId}`);
}
