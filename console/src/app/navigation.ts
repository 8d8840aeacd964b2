// What the side bar and the search box offer, in the order of a day's work. A page is one line here.
import type { IconName } from '../parts/icons.tsx';
import type { Rights } from '../session/session.ts';

export interface Destination {
  to: '/start' | '/live' | '/review/{-$traceId}' | '/verify';
  label: string;
  icon: IconName;
  /** Further words by which the search box finds it. */
  keywords?: string;
  /** Absent: every role sees it. */
  isFor?: (rights: Rights) => boolean;
}

export interface Section {
  label: string;
  destinations: readonly Destination[];
}

export const sections: readonly Section[] = [
  {
    label: 'Work',
    destinations: [
      { to: '/start', label: 'Get started', icon: 'start', keywords: 'first run checklist' },
      { to: '/live', label: 'Live', icon: 'live', keywords: 'decisions stream traces' },
      {
        to: '/review/{-$traceId}',
        label: 'Review queue',
        icon: 'review',
        keywords: 'held approve reject',
      },
    ],
  },
  {
    label: 'Proof',
    destinations: [
      {
        to: '/verify',
        label: 'Verify offline',
        icon: 'verify',
        keywords: 'bundle tamper lab',
      },
    ],
  },
];
