// The icons of the console as strokes on a grid of 24: few enough that a package of thousands is not worth its size.
import type { ReactNode } from 'react';

const PATHS = {
  agents: 'M7 9h10v9H7zM12 9V5M9 5h6M4 12v3M20 12v3M10 13h.01M14 13h.01',
  alerts: 'M6 17V11a6 6 0 0 1 12 0v6l2 2H4zM10 21h4',
  budgets: 'M3 6h18v4H3zM3 14h18v4H3zM15 6v4M9 14v4',
  check: 'm5 12.5 4.5 4.5L19 7.5',
  chevron: 'm9 6 6 6-6 6',
  clock: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 7v5l3 2',
  compliance: 'M12 4v16M7 20h10M5 7h14M5 7l-2.5 6h5zM19 7l-2.5 6h5z',
  copy: 'M8 8h11v12H8zM5 16V4h11',
  decision: 'M5 4h14v16H5zM8 9h8M8 13h8M8 17h4',
  edit: 'M4 20h4L19 9l-4-4L4 16zM13 7l4 4',
  evidence: 'M9 12h6M10 8H8a4 4 0 0 0 0 8h2M14 8h2a4 4 0 0 1 0 8h-2',
  external: 'M14 4h6v6M20 4l-9 9M18 14v6H4V6h6',
  filter: 'M4 5h16l-6 8v6l-4-2v-4z',
  groups: 'M4 5h16v4H4zM4 11h16v4H4zM4 17h10v3H4z',
  incidents: 'M12 4 2.5 20h19zM12 10v4M12 17h.01',
  key: 'M14.5 4a5.5 5.5 0 1 1-4.8 8.2L3 19v2h4v-3h3l1.8-1.8M16 8h.01',
  live: 'M3 12h4l3-8 4 16 3-8h4',
  menu: 'M4 6h16M4 12h16M4 18h16',
  moon: 'M20 14.5A8.5 8.5 0 1 1 9.5 4 7 7 0 0 0 20 14.5',
  overview: 'M4 4h7v9H4zM13 4h7v5h-7zM13 11h7v9h-7zM4 15h7v5H4z',
  oversight:
    'M2 12s3.6-6.5 10-6.5S22 12 22 12s-3.6 6.5-10 6.5S2 12 2 12M12 9.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6',
  pause: 'M8 5v14M16 5v14',
  play: 'M7 4v16l13-8z',
  plus: 'M12 5v14M5 12h14',
  policies: 'M12 3 4 6v6c0 4.5 3.4 7.8 8 9 4.6-1.2 8-4.5 8-9V6z',
  review: 'M4 5h16v11h-9l-5 4v-4H4zM9 10.5l2 2 4-4',
  search: 'M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13M15.5 15.5 20 20',
  sessions: 'M5 4v14h5M5 10h5M13 4h7M13 10h7M13 18h7',
  settings:
    'M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6M12 3v3M12 18v3M3 12h3M18 12h3M5.6 5.6l2.2 2.2M16.2 16.2l2.2 2.2M18.4 5.6l-2.2 2.2M7.8 16.2l-2.2 2.2',
  signOut: 'M10 4H5v16h5M14 8l4 4-4 4M18 12H9',
  start: 'M5 21V4h13l-3 4 3 4H5',
  stop: 'M8.5 3h7L21 8.5v7L15.5 21h-7L3 15.5v-7zM9 9h6v6H9z',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6 19 19M19 5l-1.4 1.4M6.4 17.6 5 19',
  tools:
    'M19 8.5a4.5 4.5 0 0 1-6 4.2L6.7 19a2 2 0 0 1-2.8-2.8l6.4-6.3a4.5 4.5 0 0 1 5.4-5.8L13 6.8 16.2 10l2.7-2.7',
  undo: 'M9 14 4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3',
  usage: 'M4 20V10M10 20V4M16 20v-7M21 20H3',
  user: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8M4 21a8 8 0 0 1 16 0',
  verify: 'M12 3 4 6v6c0 4.5 3.4 7.8 8 9 4.6-1.2 8-4.5 8-9V6zM8.5 12l2.5 2.5 4.5-4.5',
  webhooks:
    'M12 5a3 3 0 0 1 2.4 4.8L17 14a3 3 0 1 1-1 4H9M9.6 9.8A3 3 0 1 1 12 5M9.6 9.8 7 14a3 3 0 1 0 2 5',
  x: 'M6 6l12 12M18 6 6 18',
} as const;

export type IconName = keyof typeof PATHS;

interface Props {
  name: IconName;
  size?: number;
}

/** Decorates what text or a label says already: it is hidden from assistive technology. */
export function Icon({ name, size = 16 }: Props): ReactNode {
  return (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      strokeLinejoin="round"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
