// The services of one instance, by the names under which handlers and jobs are given them.
import type { Caller } from './domain/identity/tenant.ts';
import type { OutboxWorkers } from './platform/outbox/outbox-workers.ts';
import type { AccessRequestService } from './decisions/authzen/access-requests.service.ts';
import type { AuthzenService } from './decisions/authzen/authzen.service.ts';
import type { BillingService } from './governance/billing/billing.service.ts';
import type { ComplianceReportService } from './governance/compliance/compliance-report.service.ts';
import type { DemoRequestService } from './governance/demo-requests/demo-requests.service.ts';
import type { Readiness } from './governance/health/readiness.service.ts';
import type { BridgeService } from './governance/mcp-server/bridge.service.ts';
import type { McpService } from './governance/mcp-server/mcp.service.ts';
import type { PaymentEventService } from './governance/payment/payment-events.service.ts';
import type { ReviewWaiting } from './decisions/traces/review/callers/review-waiting.service.ts';
import type { UsageService } from './governance/usage/usage.service.ts';

/** What handlers are given, grouped by resource. */
export interface Services {
  accessRequests: AccessRequestService;
  authzen: AuthzenService;
  billing: BillingService;
  bridge: { questions: BridgeService; mcp: McpService };
  compliance: ComplianceReportService;
  demoRequests: DemoRequestService;
  /** Authenticates by the token of a calendar feed. */
  authenticateFeed(token: string): Promise<Caller>;
  payment: PaymentEventService;
  readiness: Readiness;
  traces: {
    waiting: ReviewWaiting;
  };
  usage: UsageService;
}

/** What runs without a request. */
export interface Background {
  outboxWorkers: OutboxWorkers;
}
