// Creates the services that read decisions: review, bridge.
import { answerMcp } from '../platform/mcp/mcp-endpoint.ts';
import type { AgentResolver } from '../identity/agents/agent-resolver.service.ts';
import type { MembershipService } from '../identity/organization/memberships/memberships.service.ts';
import type { WorkspaceService } from '../identity/organization/workspaces/workspaces.service.ts';
import type { HashChainService } from '../evidence/hash-chain/hash-chain.service.ts';
import { createChainSegmentService } from '../evidence/hash-chain/segments.service.ts';
import { createBridgeService } from '../governance/mcp-server/bridge.service.ts';
import { createMcpService } from '../governance/mcp-server/mcp.service.ts';
import { loadDecisionCard } from '../decisions/traces/review/notices/decision-cards.service.ts';
import { createEventCards } from '../events/cards/event-cards.service.ts';
import { createReviewReminders } from '../decisions/traces/review/notices/review-reminders.service.ts';
import { createReviewDecisionService } from '../decisions/traces/review/review-decisions.service.ts';
import { createReviewHandlingService } from '../decisions/traces/review/review-handling.service.ts';
import { createPendingReviews } from '../decisions/traces/review/self-review/pending-reviews.ts';
import { createReviewPeople } from '../decisions/traces/review/self-review/review-people.ts';
import { createSelfReview } from '../decisions/traces/review/self-review/self-review.service.ts';
import { createReviewQueueService } from '../decisions/traces/review/review-queue.service.ts';
import { createReviewWithdrawalService } from '../decisions/traces/review/review-withdrawal.service.ts';
import type { Listeners, Readers, Services } from '../services.ts';
import type { OrganizationService } from '../identity/organization/organization.service.ts';
import { createReviewLinkPages } from '../decisions/traces/review/links/review-link-pages.service.ts';
import { createReviewLinkReader } from '../decisions/traces/review/links/review-link-reader.service.ts';
import { createReviewLinkSignIn } from '../decisions/traces/review/links/review-link-sign-in.service.ts';
import { createReviewLinks } from '../decisions/traces/review/links/review-links.service.ts';
import type { Platform } from '../platform/platform.ts';

interface Deps {
  agents: AgentResolver;
  memberships: MembershipService;
  workspaces: WorkspaceService;
  notices: Listeners['notices'];
  organizations: OrganizationService;
  auth: Services['auth'];
  readers: Readers;
}

export function createReview(platform: Platform, deps: Deps) {
  const { agents, memberships, workspaces, organizations, notices } = deps;
  const { accountReader, presentMembers } = deps.readers;
  const { keys, local, secondStep, sessions } = deps.auth;
  const people = createReviewPeople(platform, { accountReader, agents, keys, presentMembers });
  const selfReview = createSelfReview(platform, { workspaces, people });
  const pending = createPendingReviews(platform, { selfReview });
  const queue = createReviewQueueService(platform, { agents, selfReview });
  const decisions = createReviewDecisionService(platform, { selfReview });
  const handling = createReviewHandlingService(platform, {
    memberships,
    presentMembers,
    workspaces,
    notices,
  });
  const withdrawals = createReviewWithdrawalService(platform);
  const reminders = createReviewReminders(platform, { notices });
  const links = createReviewLinks(platform, { workspaces });
  const readers = createReviewLinkReader({
    accountReader,
    presentMembers,
    sessions,
    organizations,
    links,
  });
  const linkPages = createReviewLinkPages(platform, {
    accountReader,
    links,
    readers,
    decisions,
    pending,
  });
  const linkSignIn = createReviewLinkSignIn(platform, { links, local, secondStep, sessions });
  const eventCards = createEventCards(platform, {
    accountReader,
    decisions: {
      findCard: (...which) => loadDecisionCard(platform, ...which),
      issueLink: links.issueLink,
    },
  });
  return {
    queue,
    decisions,
    pending,
    handling,
    withdrawals,
    linkPages,
    linkSignIn,
    eventCards,
    reminders,
  };
}

interface BridgeDeps {
  chain: HashChainService;
}

export function createBridge(platform: Platform, { chain }: BridgeDeps) {
  const segments = createChainSegmentService(platform);
  const questions = createBridgeService(platform, { chain, segments });
  const mcp = createMcpService(platform, { questions, answerMcp });
  return { questions, mcp };
}
