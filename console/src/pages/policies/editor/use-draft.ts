// The draft of a rule that all parts of the page share: source, errors, and what it says.
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  createCheckQuery,
  type Policy,
  type PolicyContents,
  toContents,
} from '../policy-queries.ts';

const TYPING_MS = 250;

export interface Draft {
  /** Null: it is not saved yet. */
  policy: Policy | null;
  source: string;
  setSource: (source: string) => void;
  /** Says whether it is being saved: what is typed from then on stays. */
  markSent: (isSent: boolean) => void;
  /** What others saved while it was written; null: they did not. */
  theirs: { before: string; now: string } | null;
  takeTheirs: () => void;
  /** Whether it says something else than what is stored. */
  isChanged: boolean;
  errors: readonly { line: number; column: number; message: string }[];
  /** Where a new policy is to judge; null: the default workspace. */
  workspaceId: string | null;
  setWorkspaceId: (id: string | null) => void;
  /** What it says; null while it is checked, or when it is wrong. */
  contents: PolicyContents | null;
}

const NONE: Draft['errors'] = [];

export function useDraft(policy: Policy | null, stored: string): Draft {
  const [source, setSource] = useState(stored);
  const [known, setKnown] = useState(stored);
  const [sent, setSent] = useState<string | null>(null);
  const [workspaceId, setWorkspaceId] = useState<string | null>(null);
  const [opened, setOpened] = useState<string | null>(null);
  // What was saved here is what the draft begins with from then on; what others saved takes nothing that was typed.
  if (known !== stored) {
    setKnown(stored);
    setSent(null);
    const isTheirs = sent === null && source !== known && source !== stored;
    setOpened(isTheirs ? (opened ?? known) : null);
    if (!isTheirs && (sent === null || sent === source)) setSource(stored);
  }
  const [settled] = useDebouncedValue(source, TYPING_MS);
  const check = useQuery(createCheckQuery(settled));
  const isCurrent = settled === source;
  return {
    policy,
    source,
    setSource,
    markSent: (isSent) => setSent(isSent ? source : null),
    theirs: opened === null ? null : { before: opened, now: stored },
    takeTheirs() {
      setOpened(null);
      setSource(stored);
    },
    workspaceId,
    setWorkspaceId,
    isChanged: policy === null || source !== stored,
    errors: (isCurrent && check.data?.errors) || NONE,
    contents: isCurrent && check.data?.policy ? toContents(check.data.policy) : null,
  };
}
