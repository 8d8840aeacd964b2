// Query and views of the overview: what happened in a span, compared with the span before it.
import { z } from 'zod';
import { STAGES } from '../../domain/counts/flow.ts';
import { BUCKETS, MOST_BUCKETS } from '../../domain/series.ts';
import { optional } from '../../http/declaration/optional.ts';
import { nameSchemas } from '../../http/declaration/schema-names.ts';
import { from, instant, to } from '../../http/declaration/views.ts';

export const overviewQuery = z.object({
  dateFrom: optional(from).describe(
    `Absent: seven days before \`dateTo\`. At most ${MOST_BUCKETS.day} days`,
  ),
  dateTo: optional(to).describe('Absent: now'),
});
export type OverviewQuery = z.output<typeof overviewQuery>;

const count = z.number().int();
const verdicts = z.object({ approved: count, flagged: count, blocked: count });
const totals = z.object({ count, held: count, blocked: count });
const seconds = z.number().nullable();

const span = z.object({
  unit: z.enum(BUCKETS).describe('What is counted: whole hours or days of UTC'),
  from: instant,
  to: instant.describe('Its end'),
  before: instant.describe('The beginning of the span that it is compared with; `from` ends it'),
  behind: count.describe('The newest entries that are not counted yet'),
});

const waits = z.object({
  count: count.describe('Held decisions that a person decided in the span'),
  p50Seconds: seconds.describe('Exact to a fifth; null: there were none'),
  p95Seconds: seconds,
});

const top = totals.extend({
  id: z.string().nullable().describe('Null: what has no place of its own, or no id'),
  name: z.string().nullable().describe('Null: it is not known, or no longer'),
  before: totals,
});
const topAgent = top.extend({
  kind: z.enum(['registered', 'unregistered', 'unnamed', 'other']),
});
const topTool = totals.extend({
  kind: z.enum(['tool', 'other']),
  name: z
    .string()
    .nullable()
    .describe(
      'As `action.names` has it; null: no catalogue lists it, and no new decision calls it',
    ),
  listed: z.boolean().describe('Whether a catalogue lists it'),
  before: totals,
});
const topPolicy = top.extend({
  kind: z.enum(['policy', 'other']),
  points: z.array(count).describe('Matches in each bucket of `series`'),
});

const point = verdicts.extend({ at: instant });
const weekHour = verdicts.extend({
  weekday: z.number().int().min(1).max(7).describe('1 is Monday'),
  hour: z.number().int().min(0).max(23),
});

export const overviewView = z.object({
  span,
  decisions: verdicts.extend({ before: verdicts }).describe('By the verdict at ingestion'),
  waits: waits.extend({ before: waits }),
  queue: z
    .object({
      waiting: count,
      truncated: z.boolean().describe('More wait than were counted'),
      overdue: count,
      oldestAt: instant.nullable(),
      ages: z.array(z.object({ underHours: z.number().nullable(), count })),
    })
    .describe('What waits now'),
  agents: z.array(topAgent).describe('The most frequent first'),
  tools: z.array(topTool).describe('Decisions by the tools that they call'),
  policies: z.array(topPolicy).describe('Those that matched most, the most frequent first'),
  week: z.array(weekHour).describe('Hours of the week, in UTC, that have decisions'),
  confidence: z.object({
    bins: z.array(count).describe('Twenty, of the same width, from 0 to 1'),
    threshold: z.number().describe('Below it an agent without one of its own has low confidence'),
    thresholds: z.array(z.number()).describe('Those of registered agents'),
  }),
  series: z.object({
    bucket: z.enum(BUCKETS),
    points: z.array(point).describe('Of every bucket, earliest first'),
  }),
});
export type Overview = z.input<typeof overviewView>;

const node = z.object({
  stage: z.enum(STAGES),
  key: z.string().describe('Unique in its stage'),
  name: z.string().nullable().describe('Of an agent or a policy; null: it has none, or no longer'),
  count,
});
const link = z.object({
  stage: z.enum(STAGES).describe('That of `from`; `to` is of the next'),
  from: z.string(),
  to: z.string(),
  count,
});
export const flowView = z.object({
  span,
  total: count,
  nodes: z.array(node).describe('The most frequent of each stage; `other` stands for the rest'),
  links: z.array(link),
});
export type OverviewFlow = z.input<typeof flowView>;

nameSchemas({
  Overview: overviewView,
  OverviewSpan: span,
  TopAgent: topAgent,
  TopPolicy: topPolicy,
  TopTool: topTool,
  WeekHour: weekHour,
  FlowNode: node,
  FlowLink: link,
  OverviewFlow: flowView,
});
