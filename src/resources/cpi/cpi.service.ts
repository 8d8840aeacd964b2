// Computes the index of an organisation from the counts of the last 30 days (docs/cpi.md).
import type { Platform } from '../../composition/platform.ts';
import {
  type Cpi,
  CPI_FORMULA,
  cpiOf,
  type JudgedCount,
  type JudgedCounts,
  MINIMUM_SAMPLE,
  NOTHING_JUDGED,
  sampleSize,
  shareOf,
} from '../../domain/cpi.ts';
import type { Tenant } from '../../domain/identity/tenant.ts';
import { READ_MAX_MS } from '../../platform/mongo/queries.ts';
import { lastDays, type Window } from './cpi-window.ts';
import type { Band, CpiDayDocument } from './cpi.model.ts';

type Bands = CpiDayDocument['decisions'];
type Counted = Pick<CpiDayDocument, 'day' | 'decisions' | 'judged'>;

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

export interface Scoreboard extends Cpi {
  formula: typeof CPI_FORMULA;
  minimumSample: typeof MINIMUM_SAMPLE;
  averageConfidence: Record<keyof Bands, number | null>;
  decisions: Record<keyof Bands, number> & { total: number };
  judged: JudgedCounts;
  window: Window;
  /** Oldest first, a row for every day. */
  trend: TrendDay[];
}

export function createCpiService({ models, clock }: Pick<Platform, 'models' | 'clock'>) {
  async function daysOf(
    organizationId: string,
    workspaceId: string | null,
    { from }: Pick<Window, 'from'>,
  ): Promise<Counted[]> {
    const chosen = workspaceId === null ? {} : { workspaceId };
    return models.cpiDays
      .find({ organizationId, day: { $gte: from }, ...chosen }, 'day decisions judged')
      .maxTimeMS(READ_MAX_MS)
      .lean<Counted[]>();
  }

  return {
    /** Returns the score, 0 to 100; null below the minimum sample. */
    async scoreOf(organizationId: string): Promise<number | null> {
      const days = await daysOf(organizationId, null, lastDays(clock.now()));
      return cpiOf(judgedIn(days)).score;
    },

    /** Counts decisions by verdict, and by what people judged of them. `from`: midnight, at most 60 days ago. */
    async countsSince(
      organizationId: string,
      from: Date,
    ): Promise<Pick<Scoreboard, 'decisions' | 'judged'>> {
      const days = await daysOf(organizationId, null, { from });
      return { decisions: countsIn(bandsIn(days)), judged: judgedIn(days) };
    },

    async scoreboard({ organizationId, workspaceId }: Tenant): Promise<Scoreboard> {
      const window = lastDays(clock.now());
      const days = await daysOf(organizationId, workspaceId, window);
      const judged = judgedIn(days);
      const bands = bandsIn(days);
      const { approved, flagged, blocked } = bands;
      return {
        ...cpiOf(judged),
        formula: CPI_FORMULA,
        minimumSample: MINIMUM_SAMPLE,
        averageConfidence: {
          approved: meanOf(approved),
          flagged: meanOf(flagged),
          blocked: meanOf(blocked),
        },
        decisions: countsIn(bands),
        judged,
        window,
        trend: trendOf(days, window),
      };
    },
  };
}
export type CpiService = ReturnType<typeof createCpiService>;

function judgedIn(days: readonly Counted[]): JudgedCounts {
  const sum = { ...NOTHING_JUDGED };
  const names = Object.keys(sum) as JudgedCount[];
  for (const { judged } of days) for (const name of names) sum[name] += judged?.[name] ?? 0;
  return sum;
}

function bandsIn(days: readonly Counted[]): Bands {
  const sumOf = (name: keyof Bands): Band => {
    const band = { count: 0, confidence: 0 };
    for (const { decisions } of days) {
      band.count += decisions?.[name]?.count ?? 0;
      band.confidence += decisions?.[name]?.confidence ?? 0;
    }
    return band;
  };
  return { approved: sumOf('approved'), flagged: sumOf('flagged'), blocked: sumOf('blocked') };
}

function countsIn(bands: Bands): Scoreboard['decisions'] {
  const { approved, flagged, blocked } = bands;
  return {
    total: totalOf(bands),
    approved: approved.count,
    flagged: flagged.count,
    blocked: blocked.count,
  };
}

function totalOf({ approved, flagged, blocked }: Bands): number {
  return approved.count + flagged.count + blocked.count;
}

function meanOf({ count, confidence }: Band): number | null {
  return shareOf(confidence / 10_000, count);
}

function trendOf(days: readonly Counted[], { from, days: number }: Window): TrendDay[] {
  return Array.from({ length: number }, (_, index) => {
    const day = new Date(from.getTime() + index * 86_400_000);
    const ofDay = days.filter((counted) => counted.day.getTime() === day.getTime());
    const judged = judgedIn(ofDay);
    const { correctFlags, falseFlags, misses, overridden } = judged;
    return {
      date: day.toISOString().slice(0, 10),
      decisions: totalOf(bandsIn(ofDay)),
      judged: sampleSize(judged),
      correctFlags,
      falseFlags,
      misses,
      overridden,
      humanOverrideRate: shareOf(overridden, sampleSize(judged)),
    };
  });
}
