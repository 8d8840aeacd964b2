// Measures the shares and ages of an organisation that its alert rules are about, each of them once.
import { scrubStrictly } from '@assay/scrub';
import { computeAlertShare, type DecisionWindow } from '../../domain/events/alert-measures.ts';
import {
  listSilentAgents,
  type SilentAgent,
} from '../../identity/agents/activity/agent-activity.service.ts';
import type { Platform } from '../../platform/platform.ts';
import { getDecisionReader } from '../upper-rooms.ts';
import type { MeasuredRule } from './active-rules.service.ts';
import type { AlertDetails } from './alert-matches.ts';

/** One value that a rule is compared with, and whose it is. */
export interface MeasuredFact {
  /** The id of an agent, or a fixed word. */
  subject: string;
  value: number;
  /** What an alert about these facts says. */
  describe(facts: readonly MeasuredFact[]): AlertDetails;
}

const MINUTE_MS = 60_000;
/** An agent that is silent longer than its rule allows, and this time more, was not active lately. */
const FORGOTTEN_MS = 7 * 24 * 60 * MINUTE_MS;
/** Agents that an alert names. */
const NAMED_MAX = 20;
const ALL = 'all';

/** What one organisation is measured by; windows and queues that several rules are about are read once. */
export class Measures {
  readonly #platform: Platform;
  readonly #organizationId: string;
  readonly #now: Date;
  readonly #windows = new Map<string, Promise<DecisionWindow>>();
  readonly #holds = new Map<string | null, Promise<Date | null>>();

  constructor(platform: Platform, organizationId: string) {
    this.#platform = platform;
    this.#organizationId = organizationId;
    this.#now = platform.clock.now();
  }

  /** Empty: there is nothing to compare. */
  async measure({ condition, workspaceId: place }: MeasuredRule): Promise<MeasuredFact[]> {
    const workspaceId = place?.toHexString() ?? null;
    if ('windowHours' in condition) {
      const { field, windowHours, atLeast } = condition;
      const counts = await this.#countWindow(workspaceId, windowHours);
      const { share, of } = computeAlertShare(field, counts);
      const describe = () => ({ decisions: of });
      return of < atLeast ? [] : [{ subject: ALL, value: share, describe }];
    }
    const { field, value, agentId = null } = condition;
    if (field === 'agentSilenceMinutes') return this.#findSilent(workspaceId, { value, agentId });
    const oldest = await this.#findOldest(workspaceId);
    return oldest ? [{ subject: ALL, value: this.#ageOf(oldest), describe: () => ({}) }] : [];
  }

  #ageOf(then: Date): number {
    return Math.max(0, Math.floor((this.#now.getTime() - then.getTime()) / MINUTE_MS));
  }

  #countWindow(workspaceId: string | null, hours: number): Promise<DecisionWindow> {
    const key = `${workspaceId} ${hours}`;
    const area = { organizationId: this.#organizationId, workspaceId };
    const counted =
      this.#windows.get(key) ?? getDecisionReader(this.#platform).countWindow(area, hours);
    this.#windows.set(key, counted);
    return counted;
  }

  #findOldest(workspaceId: string | null): Promise<Date | null> {
    const area = { organizationId: this.#organizationId, workspaceId };
    const found =
      this.#holds.get(workspaceId) ?? getDecisionReader(this.#platform).findOldestHold(area);
    this.#holds.set(workspaceId, found);
    return found;
  }

  async #findSilent(
    workspaceId: string | null,
    { value, agentId }: { value: number; agentId: string | null },
  ): Promise<MeasuredFact[]> {
    const before = new Date(this.#now.getTime() - value * MINUTE_MS);
    const after = new Date(before.getTime() - FORGOTTEN_MS);
    const query = { workspaceId, agentId, after, before };
    const silent = await listSilentAgents(this.#platform, this.#organizationId, query);
    const describe = (facts: readonly MeasuredFact[]) => describeSilent(silent, facts);
    return silent.map((agent) => ({
      subject: agent.agentId,
      value: this.#ageOf(agent.lastActive),
      describe,
    }));
  }
}

function describeSilent(
  silent: readonly SilentAgent[],
  facts: readonly MeasuredFact[],
): AlertDetails {
  const subjects = new Set(facts.map(({ subject }) => subject));
  const named = silent.filter(({ agentId }) => subjects.has(agentId)).slice(0, NAMED_MAX);
  const agents = named.map(({ agentId, agentName, lastActive }) => ({
    agentId,
    agentName: scrubStrictly(agentName),
    lastActive: lastActive.toISOString(),
  }));
  return { agents, agentCount: subjects.size };
}
