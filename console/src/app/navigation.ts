// What the side bar and the search box offer, in the order of a day's work. A page is one line here.
import type { IconName } from '../parts/icons.tsx';
import type { Rights } from '../session/session.ts';

export interface Destination {
  to:
    | '/overview'
    | '/start'
    | '/live'
    | '/sessions'
    | '/review/{-$traceId}'
    | '/groups'
    | '/policies'
    | '/budgets'
    | '/grants'
    | '/oversight'
    | '/evidence'
    | '/verify'
    | '/agents'
    | '/tools'
    | '/halts'
    | '/alerts'
    | '/webhooks'
    | '/incidents'
    | '/compliance'
    | '/usage'
    | '/settings'
    | '/device';
  label: string;
  icon: IconName;
  /** Pressed after `g`, it leads there. */
  letter?: string;
  /** Further words by which the search box finds it. */
  keywords?: string;
  /** Absent: every role sees it. */
  isFor?: (rights: Rights) => boolean;
  /** Seldom wanted: the search box alone offers it. */
  isSearched?: true;
}

export interface Section {
  label: string;
  destinations: readonly Destination[];
}

export const sections: readonly Section[] = [
  {
    label: 'Work',
    destinations: [
      {
        to: '/overview',
        label: 'Overview',
        letter: 'v',
        isFor: ({ isReader }) => isReader,
        icon: 'overview',
        keywords: 'home dashboard flow sankey heat map queue age time to verdict top agents',
      },
      {
        to: '/start',
        label: 'Get started',
        letter: 's',
        icon: 'start',
        keywords: 'first run checklist',
      },
      {
        to: '/live',
        label: 'Live',
        letter: 'l',
        isFor: ({ isReader }) => isReader,
        icon: 'live',
        keywords: 'decisions stream traces',
      },
      {
        to: '/sessions',
        label: 'Sessions',
        letter: 'n',
        isFor: ({ isReader }) => isReader,
        icon: 'sessions',
        keywords: 'conversations runs steps tree labels',
      },
      {
        to: '/review/{-$traceId}',
        label: 'Review queue',
        letter: 'r',
        isFor: ({ isReader }) => isReader,
        icon: 'review',
        keywords: 'held approve reject',
      },
      {
        to: '/groups',
        label: 'Groups',
        letter: 'g',
        isFor: ({ isReader }) => isReader,
        icon: 'groups',
        keywords: 'alike causes issues mute bulk',
      },
      {
        to: '/policies',
        label: 'Policies',
        letter: 'p',
        isFor: ({ isReader }) => isReader,
        icon: 'policies',
        keywords: 'rules templates replay canary approvals',
      },
      {
        to: '/budgets',
        label: 'Budgets',
        letter: 'b',
        isFor: ({ isReader }) => isReader,
        icon: 'budgets',
        keywords: 'limits spending spent left caps money tokens acts',
      },
      {
        to: '/grants',
        label: 'Standing grants',
        isFor: ({ isReader }) => isReader,
        icon: 'check',
        keywords: 'approve for a time again allow always exceptions',
      },
      {
        to: '/oversight',
        label: 'Oversight',
        letter: 'o',
        isFor: ({ isReader }) => isReader,
        icon: 'oversight',
        keywords: 'reviewers agreement patterns automate index corrections',
      },
    ],
  },
  {
    label: 'Agents',
    destinations: [
      {
        to: '/agents',
        label: 'Agents',
        letter: 'a',
        isFor: ({ isReader }) => isReader,
        icon: 'agents',
        keywords: 'models keys drift guard',
      },
      {
        to: '/tools',
        label: 'Tools',
        letter: 't',
        isFor: ({ isReader }) => isReader,
        icon: 'tools',
        keywords: 'catalogue mcp servers presets unlisted sessions private untrusted outbound',
      },
      {
        to: '/halts',
        label: 'Halts',
        letter: 'h',
        isFor: ({ isReader }) => isReader,
        icon: 'stop',
        keywords: 'stop kill switch emergency watch resume',
      },
      {
        to: '/alerts',
        label: 'Alerts',
        isFor: ({ isReader }) => isReader,
        icon: 'alerts',
        keywords: 'rules notify mail',
      },
      {
        to: '/webhooks',
        label: 'Webhooks',
        isFor: ({ isReader }) => isReader,
        icon: 'webhooks',
        keywords: 'events deliveries',
      },
    ],
  },
  {
    label: 'Proof',
    destinations: [
      {
        to: '/evidence',
        label: 'Evidence',
        letter: 'e',
        icon: 'evidence',
        keywords: 'chain anchors witnesses audit bundles erasures certificates manifests',
      },
      {
        to: '/verify',
        label: 'Verify offline',
        icon: 'verify',
        keywords: 'bundle tamper lab',
      },
    ],
  },
  {
    label: 'Law',
    destinations: [
      {
        to: '/incidents',
        label: 'Incidents',
        letter: 'i',
        isFor: ({ isReader }) => isReader,
        icon: 'incidents',
        keywords: 'regulators clocks deadlines calendar',
      },
      {
        to: '/compliance',
        label: 'Compliance',
        isFor: ({ isReader }) => isReader,
        icon: 'compliance',
        keywords: 'clauses fria assessments privacy budget',
      },
    ],
  },
  {
    label: 'Organisation',
    destinations: [
      {
        to: '/usage',
        label: 'Usage',
        isFor: ({ isReader }) => isReader,
        icon: 'usage',
        keywords: 'plan billing index',
      },
      {
        to: '/settings',
        label: 'Settings',
        icon: 'settings',
        keywords: 'members workspaces keys mfa sign-on sso scim notifications',
      },
      {
        to: '/device',
        label: 'Connect a device',
        icon: 'key',
        keywords: 'cli login code',
        isSearched: true,
      },
    ],
  },
];
