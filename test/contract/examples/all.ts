// Every resource's examples, in parts that test files walk over, so that every process of a run stays busy.
import { billing } from './account/billing.ts';
import { device } from './account/device.ts';
import { demoRequests } from './account/demo-requests.ts';
import { machines } from './account/machines.ts';
import { passkeys } from './account/passkeys.ts';
import { agents } from './agents.ts';
import { audit } from './audit.ts';
import { auth } from './auth.ts';
import type { ResourceExamples } from './example.ts';
import { compliance } from './governance/compliance.ts';
import { privacyBudget } from './governance/privacy-budget.ts';
import { auditBundles } from './governance/audit-bundles.ts';
import { erasure } from './governance/erasure.ts';
import { fria } from './governance/fria.ts';
import { grants } from './governance/grants.ts';
import { halts } from './governance/halts.ts';
import { incidents } from './governance/incidents.ts';
import { overview } from './governance/overview.ts';
import { provenance } from './governance/provenance.ts';
import { hashChain } from './hash-chain.ts';
import { health } from './health.ts';
import { access as accessQuestions } from './wires/access.ts';
import { acs } from './wires/acs.ts';
import { otlp } from './wires/otlp.ts';
import { notifications } from './notifications.ts';
import { organization } from './organization.ts';
import { policies } from './policies.ts';
import { executions } from './review/executions.ts';
import { cpi } from './review/cpi.ts';
import { mcpServer } from './review/mcp-server.ts';
import { reviewLinks } from './review/review-links.ts';
import { decisionGroups } from './review/decision-groups.ts';
import { reviewQueue } from './review/review-queue.ts';
import { scim } from './scim.ts';
import { signOn } from './sign-on.ts';
import { team } from './team.ts';
import { sessions, traces } from './traces.ts';
import { alerts } from './events/alerts.ts';
import { webhooks } from './events/webhooks.ts';

const PARTS = {
  identity: [health, auth, device, passkeys, signOn],
  organization: [organization, team, audit, notifications, billing, demoRequests, machines],
  provisioning: [scim],
  events: [alerts, webhooks],
  records: [
    agents,
    policies,
    traces,
    sessions,
    executions,
    otlp,
    accessQuestions,
    acs,
    reviewQueue,
    decisionGroups,
    reviewLinks,
    cpi,
    mcpServer,
    hashChain,
  ],
  governance: [
    auditBundles,
    erasure,
    fria,
    grants,
    halts,
    incidents,
    provenance,
    privacyBudget,
    compliance,
    overview,
  ],
} satisfies Record<string, readonly ResourceExamples[]>;

export type Part = keyof typeof PARTS;
export const parts = Object.keys(PARTS) as Part[];

/** The operations of some parts. */
export function listOperations(...of: readonly Part[]): string[] {
  const resources: readonly ResourceExamples[] = of.flatMap((part) => PARTS[part]);
  return resources.flatMap((resource) => Object.keys(resource.examples));
}

/** One member of every resource, by operation. */
function mergeMember<K extends keyof ResourceExamples>(member: K) {
  const resources: readonly ResourceExamples[] = Object.values(PARTS).flat();
  const tables = resources.map((resource) => resource[member] ?? {});
  return Object.assign({}, ...tables) as NonNullable<ResourceExamples[K]>;
}

export const access = mergeMember('access');
export const examples = mergeMember('examples');
export const refusedWith = mergeMember('refused');
export const freeForm = mergeMember('freeForm');
