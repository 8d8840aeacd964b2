// Where a proposed change stands: a word, a colour and a shape.
import type { ReactNode } from 'react';
import { Sign } from '../../../parts/verdict.tsx';
import { APPROVAL_LOOKS, type ApprovalState } from '../policy-words.ts';

export function ApprovalSign({ state }: { state: ApprovalState }): ReactNode {
  const { word, tone } = APPROVAL_LOOKS[state];
  return <Sign tone={tone}>{word}</Sign>;
}
