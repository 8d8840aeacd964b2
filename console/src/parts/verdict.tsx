// Verdicts and other states in colour, word and shape, so that no one depends on colours alone.
import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { toTitle } from './words.ts';

/** Shapes: a disc lets through, a diamond with a bar waits, a square with a cross stops. */
const LOOKS = {
  approved: { word: 'Approved', colour: 'approved', shape: 'disc' },
  flagged: { word: 'Held', colour: 'held', shape: 'diamond' },
  blocked: { word: 'Blocked', colour: 'blocked', shape: 'square' },
  pending: { word: 'Waiting', colour: 'held', shape: 'diamond' },
  rejected: { word: 'Rejected', colour: 'blocked', shape: 'square' },
} as const;
const UNKNOWN = { colour: 'neutral', shape: 'disc' } as const;

type Shape = 'disc' | 'diamond' | 'square' | 'ring';

const isKnown = (status: string): status is keyof typeof LOOKS => Object.hasOwn(LOOKS, status);

export function describeVerdict(status: string): string {
  return isKnown(status) ? LOOKS[status].word : toTitle(status);
}

export const lookUpVerdict = (status: string) => (isKnown(status) ? LOOKS[status] : UNKNOWN);

/** The shape of a verdict alone, beside its word. */
export function Mark({ shape, size = 14 }: { shape: Shape; size?: number }): ReactNode {
  return (
    <svg aria-hidden="true" width={size} height={size} viewBox="0 0 14 14" focusable="false">
      {shape === 'ring' && <circle cx="7" cy="7" r="5" className="verdict-ring" />}
      {shape === 'disc' && <circle cx="7" cy="7" r="6" fill="currentColor" />}
      {shape === 'disc' && <path d="m4.2 7.2 2 2 3.6-4" className="verdict-sign" />}
      {shape === 'diamond' && <path d="M7 .6 13.4 7 7 13.4.6 7z" fill="currentColor" />}
      {shape === 'diamond' && <path d="M5.6 5v4M8.4 5v4" className="verdict-sign" />}
      {shape === 'square' && <rect x="1" y="1" width="12" height="12" rx="2" fill="currentColor" />}
      {shape === 'square' && <path d="m4.6 4.6 4.8 4.8m0-4.8L4.6 9.4" className="verdict-sign" />}
    </svg>
  );
}

/** How well something stands. */
export type Tone = 'good' | 'warning' | 'bad' | 'neutral';
const TONES = {
  good: { colour: 'approved', shape: 'disc' },
  warning: { colour: 'held', shape: 'diamond' },
  bad: { colour: 'blocked', shape: 'square' },
  neutral: { colour: 'neutral', shape: 'ring' },
} as const;

interface SignProps {
  tone: Tone;
  children: string;
  /** Fills the background, for headings. */
  isFilled?: boolean;
}

/** A state: its tone as colour and shape, and a word. */
export function Sign({ tone, children, isFilled = false }: SignProps): ReactNode {
  return (
    <Marked look={TONES[tone]} isFilled={isFilled}>
      {children}
    </Marked>
  );
}

interface Props {
  status: string;
  /** Fills the background, for headings. */
  isFilled?: boolean;
}

export function Verdict({ status, isFilled = false }: Props): ReactNode {
  return (
    <Marked look={lookUpVerdict(status)} isFilled={isFilled}>
      {describeVerdict(status)}
    </Marked>
  );
}

interface MarkedProps {
  look: { colour: string; shape: Shape };
  isFilled: boolean;
  children: string;
}

function Marked({ look: { colour, shape }, isFilled, children }: MarkedProps): ReactNode {
  const fill = isFilled ? { px: 8, py: 2, bg: `var(--assay-${colour}-fill)` } : {};
  return (
    <Group
      component="span"
      {...fill}
      gap={6}
      wrap="nowrap"
      c={`var(--assay-${colour})`}
      display="inline-flex"
      className="verdict"
    >
      <Mark shape={shape} />
      <Text span size="sm" fw={600} c="inherit">
        {children}
      </Text>
    </Group>
  );
}
