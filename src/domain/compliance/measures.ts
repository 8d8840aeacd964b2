// What the service can measure of its own use, and what each figure shows: shown, not shown, or nothing to tell by.

export const ANSWERS = ['shown', 'not-shown', 'cannot-tell'] as const;
export type Answer = (typeof ANSWERS)[number];

/** Days that counts are summed over. */
export const WINDOW_DAYS = 90;
const DAY_MS = 86_400_000;
/** A verification counts for two days: chains are verified daily. */
const VERIFIED_MS = 2 * DAY_MS;

/** What was read of an organisation; each number is bounded by its reader. */
export interface MeasuredFacts {
  now: Date;
  decisions: number;
  held: number;
  waits: { count: number; p50Seconds: number | null; p95Seconds: number | null };
  queue: { waiting: number; overdue: number };
  stops: { all: number; binding: number };
  chain: { entries: number; verifiedAt: Date | null; isIntact: boolean | null };
  anchor: { treeSize: number; isWitnessed: boolean; sealedAt: Date } | null;
  auditEntries: number;
  incidents: { opened: number; open: number; breached: number };
  assessments: { all: number; approved: number };
  members: { all: number; managers: number; secured: number };
  policies: { judging: number; observing: number };
  isApprovalRequired: boolean;
  erasures: { executed: number; underWay: number };
  agents: { registered: number; unregistered: number };
  alertRules: number;
}

export interface Judged {
  answer: Answer;
  /** One sentence. */
  finding: string;
  figures: Readonly<Record<string, number | null>>;
}

interface MeasureRow {
  title: string;
  /** The page of the console that shows it. */
  page: string;
  /** The route that answers with it, below `/api/v1`. */
  source: string;
  judge(facts: MeasuredFacts): Judged;
}

const choose = (isShown: boolean, isKnown = true): Answer => {
  if (!isKnown) return 'cannot-tell';
  return isShown ? 'shown' : 'not-shown';
};

const formatSeconds = (seconds: number | null): string => {
  if (seconds === null) return 'an unknown time';
  if (seconds < 120) return `${Math.round(seconds)} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
};

function judgeOversight({ held, waits }: MeasuredFacts): Judged {
  const { count: decided, p50Seconds, p95Seconds } = waits;
  const within = `half within ${formatSeconds(p50Seconds)}, 95 % within ${formatSeconds(p95Seconds)}`;
  const figures = { held, decided, p50Seconds, p95Seconds };
  if (decided > 0)
    return { answer: 'shown', finding: `People decided ${decided} holds, ${within}.`, figures };
  const finding =
    held > 0 ? `${held} decisions were held, and people decided none.` : 'Nothing was held.';
  return { answer: choose(false, held > 0), finding, figures };
}

function judgeLog({ now, chain }: MeasuredFacts): Judged {
  const { entries, verifiedAt, isIntact } = chain;
  const ageMs = verifiedAt === null ? null : now.getTime() - verifiedAt.getTime();
  const figures = { entries, verifiedHoursAgo: ageMs === null ? null : Math.round(ageMs / 360e4) };
  const isKnown = entries > 0 && ageMs !== null && (isIntact === false || ageMs <= VERIFIED_MS);
  const answer = choose(isIntact === true, isKnown);
  const length = `The chain has ${entries} entries`;
  if (ageMs === null) return { answer, finding: `${length}, and was not verified yet.`, figures };
  const at = verifiedAt?.toISOString() ?? '';
  const found = isIntact ? 'found it intact' : 'found it broken';
  return { answer, finding: `${length}; the verification of ${at} ${found}.`, figures };
}

function judgeWitness({ anchor }: MeasuredFacts): Judged {
  const figures = { treeSize: anchor?.treeSize ?? null };
  if (anchor === null)
    return { answer: 'cannot-tell', finding: 'No head of the chain is signed yet.', figures };
  const head = `The head of ${anchor.sealedAt.toISOString()} with ${anchor.treeSize} entries`;
  const finding = anchor.isWitnessed
    ? `${head} is signed by witnesses.`
    : `${head} is signed, but by no witnesses.`;
  return { answer: choose(anchor.isWitnessed), finding, figures };
}

function judgeIncidents({ incidents }: MeasuredFacts): Judged {
  const { opened, open, breached } = incidents;
  const isKnown = opened > 0 || open > 0;
  const finding = isKnown
    ? `${opened} incidents were opened, ${open} are open, and reports of ${breached} missed a deadline.`
    : 'There was no incident.';
  return { answer: choose(breached === 0, isKnown), finding, figures: { ...incidents } };
}

function judgeAgents({ agents: { registered, unregistered } }: MeasuredFacts): Judged {
  return {
    answer: choose(unregistered === 0, registered + unregistered > 0),
    finding: `${registered} agents are registered; ${unregistered} others were seen.`,
    figures: { registered, unregistered },
  };
}

/** The table of what is measured; `page` and `source` lead to the proof. */
export const MEASURES = {
  oversight: {
    title: 'People decide what is held',
    page: '/overview',
    source: '/overview',
    judge: judgeOversight,
  },
  queue: {
    title: 'No hold waits past its deadline',
    page: '/review',
    source: '/review-queue',
    judge: ({ held, queue: { waiting, overdue } }) => ({
      answer: choose(overdue === 0, waiting > 0 || held > 0),
      finding: `${waiting} holds wait, ${overdue} of them past their deadline.`,
      figures: { waiting, overdue },
    }),
  },
  stop: {
    title: 'People can stop agents',
    page: '/halts',
    source: '/halts',
    judge: ({ stops: { all, binding } }) => ({
      answer: choose(true, all > 0),
      finding: all > 0 ? `${all} stops were set; ${binding} hold now.` : 'No stop was ever set.',
      figures: { all, binding },
    }),
  },
  log: {
    title: 'Decisions are logged, and the log verifies',
    page: '/evidence',
    source: '/hash-chain/status',
    judge: judgeLog,
  },
  witness: {
    title: 'Witnesses sign the log',
    page: '/evidence',
    source: '/hash-chain/anchors',
    judge: judgeWitness,
  },
  audit: {
    title: 'What people do is logged',
    page: '/evidence',
    source: '/audit',
    judge: ({ auditEntries }) => ({
      answer: choose(auditEntries > 0),
      finding: `The audit log has ${auditEntries} entries.`,
      figures: { entries: auditEntries },
    }),
  },
  incidents: {
    title: 'Incidents are reported in time',
    page: '/incidents',
    source: '/incidents',
    judge: judgeIncidents,
  },
  assessments: {
    title: 'Impact assessments are approved',
    page: '/compliance/assessments',
    source: '/fria',
    judge: ({ assessments: { all, approved } }) => ({
      answer: choose(approved > 0),
      finding: `${approved} of ${all} impact assessments are approved.`,
      figures: { all, approved },
    }),
  },
  access: {
    title: 'Members sign in with a second factor',
    page: '/settings/members',
    source: '/team/members',
    judge: ({ members: { all, secured } }) => ({
      answer: choose(secured === all, all > 0),
      finding: `${secured} of ${all} members have a second factor or sign on by a provider.`,
      figures: { all, secured },
    }),
  },
  roles: {
    title: 'Roles are separated',
    page: '/settings/members',
    source: '/team/members',
    judge: ({ members: { all, managers } }) => ({
      answer: choose(managers < all, all > 1),
      finding: `${managers} of ${all} members are owners or admins.`,
      figures: { all, managers },
    }),
  },
  policies: {
    title: 'Policies are in force',
    page: '/policies',
    source: '/policies',
    judge: ({ policies: { judging, observing } }) => ({
      answer: choose(judging > 0),
      finding: `${judging} policies are in force; ${observing} observe.`,
      figures: { judging, observing },
    }),
  },
  changes: {
    title: 'A second person confirms changes of policies',
    page: '/policies/approvals',
    source: '/policies/approvals',
    judge: ({ isApprovalRequired }) => ({
      answer: choose(isApprovalRequired),
      finding: isApprovalRequired ? 'Changes need a second person.' : 'One person is enough.',
      figures: {},
    }),
  },
  erasure: {
    title: 'Personal data is erased on request',
    page: '/evidence',
    source: '/erasure',
    judge: ({ erasures: { executed, underWay } }) => ({
      answer: choose(executed > 0, executed + underWay > 0),
      finding:
        executed + underWay > 0
          ? `${executed} erasures were executed; ${underWay} are under way.`
          : 'No erasure was requested.',
      figures: { executed, underWay },
    }),
  },
  agents: {
    title: 'Agents are registered',
    page: '/agents',
    source: '/agents',
    judge: judgeAgents,
  },
  monitoring: {
    title: 'What agents do is measured',
    page: '/overview',
    source: '/overview',
    judge: ({ decisions }) => ({
      answer: choose(true, decisions > 0),
      finding: `${decisions} decisions were judged and counted.`,
      figures: { decisions },
    }),
  },
  alerts: {
    title: 'Rules alert people',
    page: '/alerts',
    source: '/alerts',
    judge: ({ alertRules }) => ({
      answer: choose(alertRules > 0),
      finding: `${alertRules} alert rules are active.`,
      figures: { rules: alertRules },
    }),
  },
} as const satisfies Record<string, MeasureRow>;
export type Measure = keyof typeof MEASURES;
export const MEASURE_NAMES = Object.keys(MEASURES) as Measure[];

/** Answers for a clause: all that is measured for it must be shown; one that is not decides. */
export function joinAnswers(answers: readonly Answer[]): Answer {
  if (answers.includes('not-shown')) return 'not-shown';
  return choose(true, answers.length > 0 && !answers.includes('cannot-tell'));
}
