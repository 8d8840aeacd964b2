// Creates the services that read decisions: review, bridge.
import { answerMcp } from '../platform/mcp/mcp-endpoint.ts';
import type { HashChainService } from '../evidence/hash-chain/hash-chain.service.ts';
import { createChainSegmentService } from '../evidence/hash-chain/segments.service.ts';
import { createBridgeService } from '../governance/mcp-server/bridge.service.ts';
import { createMcpService } from '../governance/mcp-server/mcp.service.ts';
import { loadDecisionCard } from '../decisions/traces/review/notices/decision-cards.service.ts';
import { createEventCards } from '../events/cards/event-cards.service.ts';
import { createReviewDecisionService } from '../decisions/traces/review/review-decisions.service.ts';
import { createReviewWithdrawalService } from '../decisions/traces/review/review-withdrawal.service.ts';
import type { Readers } from '../services.ts';
import { createReviewLinkPages } from '../decisions/traces/review/links/review-link-pages.service.ts';
import { issueReviewLink } from '../decisions/traces/review/links/review-links.service.ts';
import type { Platform } from '../platform/platform.ts';

export function createReview(platform: Platform, { accountReader }: Readers) {
  const decisions = createReviewDecisionService(platform);
  const withdrawals = createReviewWithdrawalService(platform);
  const linkPages = createReviewLinkPages(platform, { accountReader, decisions });
  const eventCards = createEventCards(platform, {
    accountReader,
    decisions: {
      findCard: (...which) => loadDecisionCard(platform, ...which),
      issueLink: (...which) => issueReviewLink(platform, ...which),
    },
  });
  return { decisions, withdrawals, linkPages, eventCards };
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
