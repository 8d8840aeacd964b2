// Computes the index of an organisation from the counts of the last 30 days (docs/reference/cpi.md).
import type { z } from 'zod';
import type { Tenant } from '../../domain/identity/tenant.ts';
import type { Context } from '../../platform/context.ts';
import type { Platform } from '../../platform/platform.ts';
import {
  CPI_FORMULA,
  computeCpi,
  type JudgedCount,
  type JudgedCounts,
  MINIMUM_SAMPLE,
  NOTHING_JUDGED,
  countSample,
  computeRatio,
} from '../../domain/cpi.ts';
import { READ_MAX_MS } from '../../platform/mongo/queries.ts';
import { computeWindow } from './cpi-window.ts';
import type { Band, CpiDayDocument } from './cpi.model.ts';
import type { Window, scoreboardView } from './cpi.schemas.ts';

type Bands = CpiDayDocument['decisions'];
type DayCounts = Pick<CpiDayDocument, 'day' | 'decisions' | 'judged'>;

interface TrendDay {
  date: string;
  decisions: number;
  judged: number;
  correctFlags: number;
  falseFlags: number;
  misses: number;
  overridden: number;
  humanOverrideRate: number | null;
}

export type Scoreboard = z.input<typeof scoreboardView>;

/** Returns the score, 0 to 100; null below the minimum sample. */
export async function loadCpiScore(
  platform: Platform,
  organizationId: string,
): Promise<number | null> {
  const days = await loadDays(
    platform,
    { organizationId, workspaceId: null },
    computeWindow(platform.clock.now()),
  );
  return computeCpi(sumJudged(days)).score;
}

/** Counts decisions by verdict, and by what people judged of them. `from`: midnight, at most 60 days ago. */
export async function loadCpiCounts(
  platform: Platform,
  organizationId: string,
  from: Date,
): Promise<Pick<Scoreboard, 'decisions' | 'judged'>> {
  const days = await loadDays(platform, { organizationId, workspaceId: null }, { from });
  return { decisions: toDecisionCounts(sumBands(days)), judged: sumJudged(days) };
}

export async function loadScoreboard({ platform, tenant }: Context): Promise<Scoreboard> {
  const window = computeWindow(platform.clock.now());
  const days = await loadDays(platform, tenant, window);
  const judged = sumJudged(days);
  const bands = sumBands(days);
  const { approved, flagged, blocked } = bands;
  return {
    ...computeCpi(judged),
    formula: CPI_FORMULA,
    minimumSample: MINIMUM_SAMPLE,
    averageConfidence: {
      approved: computeMean(approved),
      flagged: computeMean(flagged),
      blocked: computeMean(blocked),
    },
    decisions: toDecisionCounts(bands),
    judged,
    window,
    trend: buildTrend(days, window),
  };
}

/** Null: all workspaces. */
function loadDays(
  platform: Platform,
  { organizationId, workspaceId }: Pick<Tenant, 'organizationId' | 'workspaceId'>,
  { from }: Pick<Window, 'from'>,
): Promise<DayCounts[]> {
  const workspaceFilter = workspaceId === null ? {} : { workspaceId };
  return platform.models.cpiDays
    .find({ organizationId, day: { $gte: from }, ...workspaceFilter }, 'day decisions judged')
    .maxTimeMS(READ_MAX_MS)
    .lean<DayCounts[]>();
}

function sumJudged(days: readonly DayCounts[]): JudgedCounts {
  const sum = { ...NOTHING_JUDGED };
  const names = Object.keys(sum) as JudgedCount[];
  for (const { judged } of days) for (const name of names) sum[name] += judged?.[name] ?? 0;
  return sum;
}

function sumBands(days: readonly DayCounts[]): Bands {
  const sumBand = (name: keyof Bands): Band => {
    const band = { count: 0, confidence: 0 };
    for (const { decisions } of days) {
      band.count += decisions?.[name]?.count ?? 0;
      band.confidence += decisions?.[name]?.confidence ?? 0;
    }
    return band;
  };
  return {
    approved: sumBand('approved'),
    flagged: sumBand('flagged'),
    blocked: sumBand('blocked'),
  };
}

function toDecisionCounts(bands: Bands): Scoreboard['decisions'] {
  const { approved, flagged, blocked } = bands;
  return {
    total: countTotal(bands),
    approved: approved.count,
    flagged: flagged.count,
    blocked: blocked.count,
  };
}

function countTotal({ approved, flagged, blocked }: Bands): number {
  return approved.count + flagged.count + blocked.count;
}

function computeMean({ count, confidence }: Band): number | null {
  return computeRatio(confidence / 10_000, count);
}

function buildTrend(days: readonly DayCounts[], { from, days: number }: Window): TrendDay[] {
  return Array.from({ length: number }, (_, index) => {
    const day = new Date(from.getTime() + index * 86_400_000);
    const ofDay = days.filter((counted) => counted.day.getTime() === day.getTime());
    const judged = sumJudged(ofDay);
    const { correctFlags, falseFlags, misses, overridden } = judged;
    return {
      date: day.toISOString().slice(0, 10),
      decisions: countTotal(sumBands(ofDay)),
      judged: countSample(judged),
      correctFlags,
      falseFlags,
      misses,
      overridden,
      humanOverrideRate: computeRatio(overridden, countSample(judged)),
    };
  });
}
