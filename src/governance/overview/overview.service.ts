// What happened in a span of time, against the span before it: from counts alone, and what waits now.
import { CONFIDENCE_BINS } from '../../domain/counts/confidence-bins.ts';
import { type CountedKeyPath, rankTop } from '../../domain/counts/top-lists.ts';
import { OTHER } from '../../domain/counts/decision-path.ts';
import { findPercentile, sumCounts } from '../../domain/counts/wait-buckets.ts';
import { DEFAULT_AGENT_POLICIES } from '../../domain/agents/agent-policies.ts';
import {
  type Bucket,
  type ComparedRange,
  countBuckets,
  computeCoveredRange,
  listBuckets,
} from '../../domain/series.ts';
import { measureQueue } from '../../decisions/traces/series/queue-ages.service.ts';
import {
  countKeys,
  countPolicySets,
  countWeekHours,
  type VerdictCounts,
} from '../../decisions/traces/series/decision-counts.service.ts';
import { listThresholds } from '../../identity/agents/agent-resolver.service.ts';
import type { Context } from '../../platform/context.ts';
import { describePolicies, findAgentKind, loadAgentNames } from './names.service.ts';
import type { Overview, OverviewQuery } from './overview.schemas.ts';
import { listTopTools } from './top-tools.service.ts';
import { describeSpan, loadPaths, loadVerdictCounts, resolveSpan } from './span.service.ts';

/** Rows of a list. */
const TOP = 10;
/** Buckets of a chart: a span of more hours is drawn by days. */
const HOURS_DRAWN = 48;

interface Spans {
  now: CountedKeyPath[];
  before: CountedKeyPath[];
}

/** @throws AppError `VALIDATION_ERROR` */
export async function loadOverview(ctx: Context, query: OverviewQuery): Promise<Overview> {
  const span = resolveSpan(ctx, query);
  const before = { bucket: span.bucket, from: span.before, to: span.from };
  const drawn = chooseDrawn(span);
  const { points, sum } = await loadVerdictCounts(ctx, drawn);
  const { sum: earlier } = await loadVerdictCounts(ctx, { ...before, bucket: 'day' });
  const spans = await loadSpans(ctx, { span, sum }, { span: before, sum: earlier });
  return {
    span: await describeSpan(ctx, span),
    decisions: { ...sum, before: earlier },
    waits: await compareWaits(ctx, span, before),
    queue: await measureQueue(ctx),
    agents: await listTopAgents(ctx, spans),
    tools: await listTopTools(ctx, { now: span, before }, TOP),
    policies: await listTopPolicies(ctx, spans, { unit: span.bucket, ...drawn }),
    week: await countWeekHours(ctx, span),
    confidence: await loadConfidence(ctx, span),
    series: { bucket: drawn.bucket, points },
  };
}

interface Summed {
  span: Range;
  sum: VerdictCounts;
}

const loadSpans = async (ctx: Context, now: Summed, before: Summed): Promise<Spans> => ({
  now: await loadPaths(ctx, now.span, now.sum),
  before: await loadPaths(ctx, before.span, before.sum),
});

/** The buckets of charts: from the first to the last that the span touches. */
function chooseDrawn({ bucket: unit, from, to }: ComparedRange) {
  const isShort = unit === 'hour' && countBuckets({ bucket: unit, from, to }) <= HOURS_DRAWN;
  return { bucket: isShort ? ('hour' as const) : ('day' as const), from, to };
}

type Range = Pick<ComparedRange, 'bucket' | 'from' | 'to'>;
type Waits = Omit<Overview['waits'], 'before'>;

const compareWaits = async (
  ctx: Context,
  now: Range,
  before: Range,
): Promise<Overview['waits']> => ({
  ...(await loadWaits(ctx, now)),
  before: await loadWaits(ctx, before),
});

async function loadWaits(ctx: Context, { bucket: unit, from, to }: Range): Promise<Waits> {
  const counted = await countKeys(ctx, { dimension: 'wait', unit, from, to });
  const buckets = new Map([...counted].map(([key, count]) => [Number(key), count]));
  return {
    count: sumCounts(buckets),
    p50Seconds: findPercentile(buckets, 0.5),
    p95Seconds: findPercentile(buckets, 0.95),
  };
}

async function loadConfidence(
  ctx: Context,
  { bucket: unit, from, to }: Range,
): Promise<Overview['confidence']> {
  const counted = await countKeys(ctx, { dimension: 'confidence', unit, from, to });
  return {
    bins: Array.from({ length: CONFIDENCE_BINS }, (_, bin) => counted.get(String(bin)) ?? 0),
    threshold: DEFAULT_AGENT_POLICIES.confidenceThreshold,
    thresholds: await listThresholds(ctx.platform, ctx.tenant),
  };
}

async function listTopAgents(ctx: Context, spans: Spans): Promise<Overview['agents']> {
  const top = rankTop(spans, ({ agent }) => [agent]).slice(0, TOP);
  const names = await loadAgentNames(
    ctx,
    top.map(({ key }) => key),
  );
  return top.map(({ key, ...totals }) => {
    const kind = findAgentKind(key);
    return {
      ...totals,
      kind,
      id: kind === 'registered' ? key : null,
      name: names.get(key) ?? null,
    };
  });
}

interface Drawn extends Range {
  unit: Bucket;
}

async function listTopPolicies(
  ctx: Context,
  spans: Spans,
  drawn: Drawn,
): Promise<Overview['policies']> {
  const top = rankTop(spans, ({ policies }) => policies).slice(0, TOP);
  const policies = await describePolicies(
    ctx,
    top.map(({ key }) => key),
  );
  const points = await loadPoints(ctx, drawn);
  return top.map(({ key, ...totals }) => {
    const isOther = key === OTHER;
    const place = {
      kind: isOther ? ('other' as const) : ('policy' as const),
      id: isOther ? null : key,
    };
    return { ...totals, ...place, name: policies.get(key)?.name ?? null, points: points(key) };
  });
}

/** Resolves with the matches of a policy in each bucket. */
async function loadPoints(ctx: Context, drawn: Drawn): Promise<(policyId: string) => number[]> {
  const found = await countPolicySets(ctx, drawn);
  const buckets = listBuckets(computeCoveredRange(drawn.bucket, drawn)).map((at) => at.getTime());
  const sums = new Map<string, number>();
  for (const { at, policies, count } of found)
    for (const id of new Set(policies)) {
      const place = `${id} ${at.getTime()}`;
      sums.set(place, (sums.get(place) ?? 0) + count);
    }
  return (policyId) => buckets.map((at) => sums.get(`${policyId} ${at}`) ?? 0);
}
