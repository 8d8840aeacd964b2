// Verifies every chain in full once a day, one after the other, pausing after each for as long as it took.
import { perInstance } from '../../platform/per-instance.ts';
import type { Platform } from '../../platform/platform.ts';
import { checkHeads } from '../log/signing/heads-check.service.ts';
import { verifyAuditLog } from '../../identity/audit/audit-log.service.ts';
import { listOrganizationIds } from '../../identity/organization/organization-facts.service.ts';
import { verifyLedger } from './chain-verification.service.ts';

const DAY_MS = 24 * 3600_000;
/** Time limit of one run; then another instance may continue. */
const RUN_MS = 5 * 60_000;
const PAGE = 100;

/** `last`: the organisation checked last in this round; null at its start. */
const openRounds = perInstance(() => ({
  ending: new AbortController(),
  last: null as string | null,
}));

/** Continues where the last run ended; resolves with the number of organisations that were checked. */
export function runChecks(platform: Platform): Promise<number> {
  const { signal } = openRounds(platform).ending;
  return new Promise((resolve, reject) => {
    const resolveEarly = (): void => resolve(0);
    signal.addEventListener('abort', resolveEarly, { once: true });
    const removeListener = (): void => signal.removeEventListener('abort', resolveEarly);
    void checkPages(platform).then(resolve, reject).finally(removeListener);
  });
}

export function stopChecks(platform: Platform): void {
  openRounds(platform).ending.abort();
}

/** The next organisations older than a day; `isDue` if their chain was not verified for a day. */
async function loadNextPage(
  platform: Platform,
): Promise<{ organizationId: string; isDue: boolean }[]> {
  const { models, clock } = platform;
  const { last } = openRounds(platform);
  const before = new Date(clock.now().getTime() - DAY_MS);
  const ids = await listOrganizationIds(platform, last, { limit: PAGE, createdBefore: before });
  const recent = await models.chainVerifications
    .find({ organizationId: { $in: ids }, verifiedAt: { $gte: before } }, 'organizationId')
    .lean();
  const verified = new Set(recent.map(({ organizationId }) => organizationId.toHexString()));
  return ids.map((organizationId) => ({
    organizationId,
    isDue: !verified.has(organizationId),
  }));
}

/** A chain that cannot be verified does not stop the others; a stopping instance does not wait for it. */
async function checkOrganization(platform: Platform, organizationId: string): Promise<void> {
  const { metrics, logger } = platform;
  const started = performance.now();
  try {
    const { verified } = await verifyLedger({ platform, tenant: { organizationId } });
    const audit = await verifyAuditLog(platform, { organizationId });
    metrics.chainChecks.inc({ outcome: verified && audit.verified ? 'intact' : 'broken' });
  } catch (error) {
    metrics.chainChecks.inc({ outcome: 'failed' });
    logger.error({ err: error, organizationId }, 'a chain could not be verified');
  }
  await pauseChecks(performance.now() - started);
}

/** The heads log covers every chain, and is verified once in a round. */
async function checkHeadsLog(platform: Platform): Promise<void> {
  const { metrics, logger } = platform;
  try {
    const broken = await checkHeads(platform);
    if (broken) metrics.chainChecks.inc({ outcome: 'broken' });
  } catch (error) {
    metrics.chainChecks.inc({ outcome: 'failed' });
    logger.error({ err: error }, 'the heads log could not be verified');
  }
}

async function checkPages(platform: Platform): Promise<number> {
  const round = openRounds(platform);
  const end = performance.now() + RUN_MS;
  let checked = 0;
  if (round.last === null) await checkHeadsLog(platform);
  while (performance.now() < end) {
    const page = await loadNextPage(platform);
    for (const { organizationId, isDue } of page) {
      if (isDue) {
        checked += 1;
        await checkOrganization(platform, organizationId);
      }
      round.last = organizationId;
      if (round.ending.signal.aborted || performance.now() > end) return checked;
    }
    if (page.length < PAGE) break;
  }
  round.last = null;
  return checked;
}

/** Pauses without keeping the process alive. */
function pauseChecks(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms).unref());
}
