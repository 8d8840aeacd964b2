// Gives the ledger and each wing what they call of wings above them.
import type { Consumers } from '../ledger/follow/consumers.ts';
import { judgeByLogKeys } from '../evidence/log/keys/log-keys.service.ts';
import { queueCancellation } from '../governance/billing/cancellations.service.ts';
import { findOrganizationName } from '../identity/organization/organization-facts.service.ts';
import { forgetKeys } from '../identity/auth/keys/key-authentication.service.ts';
import { provideUpperRooms } from '../identity/upper-rooms.ts';
import { provideDecisionReader } from '../events/upper-rooms.ts';
import { loadCpiScore } from '../decisions/cpi/cpi.service.ts';
import { loadDecisionCard } from '../decisions/traces/review/notices/decision-cards.service.ts';
import { issueReviewLink } from '../decisions/traces/review/links/review-links.service.ts';
import { endMemberSessions, endSignOns } from '../identity/auth/sessions/open-sessions.service.ts';
import { authenticateSession } from '../identity/auth/sessions/authentication.service.ts';
import { useMessageOnce } from '../identity/sign-on/login/used-messages.service.ts';
import type { Platform } from '../platform/platform.ts';
import { loadTrace } from '../decisions/traces/traces.service.ts';
import {
  countNamedVerdicts,
  findDecisionPlace,
  findLastDecisionTime,
  listUnregisteredAgents,
} from '../decisions/traces/decision-lookup.service.ts';
import { provideTraceNeighbours } from '../decisions/traces/neighbours.service.ts';
import { describeStatus, invalidateStatus } from '../evidence/hash-chain/hash-chain.service.ts';
import { signBatch, signEntry } from '../evidence/log/promises/promises.service.ts';
import { planGrant } from '../governance/grants/grants.service.ts';
import { loadStandingGrants } from '../governance/grants/standing-grants.service.ts';
import { haltByPolicy } from '../governance/halts/due-halts.service.ts';
import { queueMemberHalt } from '../governance/halts/member-halts.service.ts';
import { countIncidents } from '../governance/incidents/incident-counts.service.ts';
import { provideNeighbours } from '../policies/neighbours.ts';
import { loadPolicySet } from '../policies/policy-sets.service.ts';
import { loadCatalogue } from '../policies/tools/tool-sets.service.ts';
import { removeDecisions } from '../decisions/traces/bulk/bulk.service.ts';
import { countWindow } from '../decisions/traces/series/decision-counts.service.ts';
import { measureQueue } from '../decisions/traces/series/queue-ages.service.ts';
import { floorToBucket } from '../domain/series.ts';
import { notify } from '../events/notifications/notices/notices.service.ts';

export function provideUpwards(platform: Platform, consumers: Consumers): void {
  platform.ledger.setPromiser((...batch) => signBatch(platform, ...batch));
  platform.ledger.onSealed((organizationId) => invalidateStatus(platform, organizationId));
  provideToIdentity(platform, consumers);
  provideTraceNeighbours(platform, {
    describeChain: (organizationId) => describeStatus({ platform, tenant: { organizationId } }),
    consumers,
    loadPolicySet: (place, traceId) => loadPolicySet(platform, place, traceId),
    loadCatalogue: (scope) => loadCatalogue(platform, scope),
    signEntry: (organizationId, entry) => signEntry(platform, organizationId, entry),
    loadStandingGrants: (organizationId) => loadStandingGrants(platform, organizationId),
    planGrant,
    haltByPolicy: (...which) => haltByPolicy(platform, ...which),
  });
  provideNeighbours(platform, {
    countIncidents: (...which) => countIncidents(platform, ...which),
  });
  provideToEvents(platform);
}

function provideToEvents(platform: Platform): void {
  const { cpiIndexOf = (organizationId: string) => loadCpiScore(platform, organizationId) } =
    platform;
  provideDecisionReader(platform, {
    findCard: (...which) => loadDecisionCard(platform, ...which),
    issueLink: (...which) => issueReviewLink(platform, ...which),
    findPlace: (...which) => findDecisionPlace(platform, ...which),
    loadCpiScore: cpiIndexOf,
    countWindow: (tenant, windowHours) => {
      const to = platform.clock.now();
      const from = floorToBucket(new Date(to.getTime() - windowHours * 3_600_000), 'hour');
      return countWindow({ platform, tenant }, { from, to });
    },
    findOldestHold: async (place) =>
      (await measureQueue({ platform, tenant: { ...place, agentIds: null } })).oldestAt,
  });
}

function provideToIdentity(platform: Platform, consumers: Consumers): void {
  provideUpperRooms(platform, {
    findOrganizationName: (organizationId) => findOrganizationName(platform, organizationId),
    forgetKeys: (organizationId) => forgetKeys(platform, organizationId),
    decisions: readDecisions(platform),
    endSignOns: (organizationId, staying) => endSignOns(platform, organizationId, staying),
    endMemberSessions: (organizationId, userId) =>
      endMemberSessions(platform, organizationId, userId),
    authenticateSession: (token) => authenticateSession(platform, token),
    useMessageOnce: (organizationId, message) => useMessageOnce(platform, organizationId, message),
    logKeys: { judgeByKeys: (judge) => judgeByLogKeys(platform, judge) },
    queueMemberHalt: (...which) => queueMemberHalt(platform, ...which),
    notify: (announcement) => notify(platform, announcement),
    openLedger: (organizationId) => consumers.createCursors(organizationId, 0),
    queueCancellation: (subscription) => queueCancellation(platform, subscription),
    removeDecisions: (tenant, ...which) => removeDecisions({ platform, tenant }, ...which),
  });
}

const readDecisions = (
  platform: Platform,
): Parameters<typeof provideUpperRooms>[1]['decisions'] => ({
  findLastTime: (...name) => findLastDecisionTime(platform, ...name),
  countVerdicts: (...name) => countNamedVerdicts(platform, ...name),
  listUnregistered: (tenant) => listUnregisteredAgents(platform, tenant),
  findProducerId: async (tenant, name) => (await loadTrace({ platform, tenant }, name)).agentId,
});
