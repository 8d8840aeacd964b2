// Analyses what people corrected and why, by the newest verdicts: reasons are content and can be erased.
import type { Types } from 'mongoose';
import type { Context } from '../../platform/context.ts';
import type { Platform } from '../../platform/platform.ts';
import { computeRatio } from '../../domain/cpi.ts';
import { groupBy } from '../../domain/group-by.ts';
import type { CommittedValue } from '../../domain/record/commitments.ts';
import {
  BY_PERSONS,
  VERDICT_KINDS,
  readPersonsVerdict,
} from '../../domain/record/persons-verdict.ts';
import { READ_MAX_MS } from '../../platform/mongo/queries.ts';
import type { TraceDocument } from '../traces/traces.model.ts';
import { computeWindow } from './cpi-window.ts';
import type { Analytics } from './cpi.schemas.ts';

/** Limits: verdicts read for one answer, and rows of its lists. */
const SAMPLE_MAX = 1000;
const AGENTS_MAX = 50;
const REASONS_MAX = 10;
const HOUR_MS = 3_600_000;
const HOURS = [1, 4, 24, 72, 168, null] as const;

interface VerdictEntry {
  _id: Types.ObjectId;
  traceId: string;
  sequence: number;
  createdAt: Date;
  view: string;
  sealed?: Record<string, CommittedValue | null>;
}
type JudgedTrace = Pick<
  TraceDocument,
  'traceId' | 'agentId' | 'agentName' | 'confidenceScore' | 'createdAt'
>;

/** A verdict with its decision, as the analytics count it. */
interface SampledVerdict {
  trace: JudgedTrace;
  isOverride: boolean;
  reason: string | null;
  afterMs: number;
}

export async function buildAnalytics(ctx: Context): Promise<Analytics> {
  const { platform, tenant } = ctx;
  const window = computeWindow(platform.clock.now());
  const found = await loadVerdicts(platform, tenant.organizationId, window.from);
  const verdicts = found.slice(0, SAMPLE_MAX);
  const decisions = await loadDecisions(ctx, verdicts);
  const sample = keepNewestVerdicts(verdicts).flatMap((verdict) => {
    const trace = decisions.get(verdict.traceId);
    return trace ? [toSample(verdict, trace)] : [];
  });
  return {
    window,
    sampleSize: sample.length,
    truncated: found.length > SAMPLE_MAX,
    agents: rankAgents(sample),
    topReasons: rankReasons(sample),
    confidence: compareConfidence(sample),
    timeToCorrection: buildHistogram(sample),
    reversed: countReversed(verdicts.filter(({ traceId }) => decisions.has(traceId))),
  };
}

/** Returns the newest first, one more than is used. */
async function loadVerdicts(
  platform: Platform,
  organizationId: string,
  from: Date,
): Promise<VerdictEntry[]> {
  const found = await platform.models.ledger
    .find(
      { organizationId, kind: { $in: VERDICT_KINDS }, createdAt: { $gte: from }, ...BY_PERSONS },
      'traceId sequence createdAt view sealed.feedback content generation',
    )
    .sort({ createdAt: -1 })
    .limit(SAMPLE_MAX + 1)
    .maxTimeMS(READ_MAX_MS)
    .lean<VerdictEntry[]>();
  return platform.contents.decryptDocuments(organizationId, found);
}

async function loadDecisions(
  { platform, tenant: { organizationId, workspaceId } }: Context,
  verdicts: readonly VerdictEntry[],
): Promise<ReadonlyMap<string, JudgedTrace>> {
  const traceIds = [...new Set(verdicts.map(({ traceId }) => traceId))];
  const workspaceFilter = workspaceId === null ? {} : { workspaceId };
  const found = await platform.models.traces
    .find(
      { organizationId, traceId: { $in: traceIds }, deletedAt: null, ...workspaceFilter },
      'traceId agentId agentName confidenceScore createdAt',
    )
    .maxTimeMS(READ_MAX_MS)
    .lean<JudgedTrace[]>();
  return new Map(found.map((trace) => [trace.traceId, trace]));
}

/** Keeps the newest verdict of each decision; expects the newest first. */
function keepNewestVerdicts(verdicts: readonly VerdictEntry[]): VerdictEntry[] {
  const seen = new Set<string>();
  return verdicts.filter(({ traceId }) => !seen.has(traceId) && seen.add(traceId));
}

function toSample({ view, sealed, createdAt }: VerdictEntry, trace: JudgedTrace): SampledVerdict {
  const text = sealed?.['feedback']?.text;
  const feedback = text === undefined ? null : (JSON.parse(text) as { feedbackNotes?: unknown });
  const notes = feedback?.feedbackNotes;
  return {
    trace,
    isOverride: readPersonsVerdict(view).isOverride,
    reason: typeof notes === 'string' ? notes : null,
    afterMs: createdAt.getTime() - trace.createdAt.getTime(),
  };
}

function rankAgents(sample: readonly SampledVerdict[]): Analytics['agents'] {
  const byAgent = groupBy(sample, ({ trace }) => trace.agentId);
  const agents = [...byAgent].map(([agentId, verdicts]) => {
    const overridden = verdicts.filter(({ isOverride }) => isOverride).length;
    const judged = verdicts.length;
    const name = verdicts[0]?.trace.agentName ?? null;
    return { agentId, name, judged, overridden, overrideRate: computeRatio(overridden, judged) };
  });
  return agents.sort((a, b) => b.judged - a.judged).slice(0, AGENTS_MAX);
}

/** Groups reasons without regard to case and surrounding spaces; shows each as it was written last. */
function rankReasons(sample: readonly SampledVerdict[]): Analytics['topReasons'] {
  const overrideReasons = sample.flatMap(({ isOverride, reason }) =>
    isOverride && reason ? [reason] : [],
  );
  const reasons = [...groupBy(overrideReasons, (reason) => reason.trim().toLowerCase()).values()];
  return reasons
    .map((alike) => ({ reason: alike[0] ?? '', count: alike.length }))
    .sort((a, b) => b.count - a.count)
    .slice(0, REASONS_MAX);
}

function compareConfidence(sample: readonly SampledVerdict[]): Analytics['confidence'] {
  const computeMean = (isOverride: boolean): number | null => {
    const scores = sample.filter((verdict) => verdict.isOverride === isOverride);
    const sum = scores.reduce((total, { trace }) => total + trace.confidenceScore, 0);
    return computeRatio(sum, scores.length);
  };
  const [corrected, confirmed] = [computeMean(true), computeMean(false)];
  const isKnown = corrected !== null && confirmed !== null;
  const delta = isKnown ? Math.round((confirmed - corrected) * 10_000) / 10_000 : null;
  return { corrected, confirmed, delta };
}

function buildHistogram(sample: readonly SampledVerdict[]): Analytics['timeToCorrection'] {
  const overrides = sample.filter(({ isOverride }) => isOverride);
  const countUnder = (hours: number | null): number =>
    overrides.filter(({ afterMs }) => hours === null || afterMs < hours * HOUR_MS).length;
  return HOURS.map((underHours, index) => {
    const before = index === 0 ? 0 : countUnder(HOURS[index - 1] ?? null);
    return { underHours, count: countUnder(underHours) - before };
  });
}

/** Counts decisions of which one person said the opposite of what another had said; expects the newest first. */
function countReversed(verdicts: readonly VerdictEntry[]): number {
  return [...groupBy(verdicts, ({ traceId }) => traceId).values()].filter((looks) => {
    const [newest, first] = [looks[0], looks.at(-1)].map(
      (verdict) => verdict && readPersonsVerdict(verdict.view),
    );
    return newest?.actorId !== first?.actorId && newest?.isRight !== first?.isRight;
  }).length;
}
