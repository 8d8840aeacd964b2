// Every page of the console: one line each. `console/README.md` says how to add one.
import { agentRoutes } from './agents/agents.route.ts';
import { alertsRoute } from './alerts/alerts.route.ts';
import { budgetsRoute } from './budgets/budgets.route.ts';
import { complianceRoutes } from './compliance/compliance.route.ts';
import { decisionRoute } from './decision/decision.route.ts';
import { evidenceRoute } from './evidence/evidence.route.ts';
import { grantRoutes } from './grants/grants.route.ts';
import { groupsRoute } from './groups/groups.route.ts';
import { haltRoutes } from './halts/halts.route.ts';
import { deviceRoute } from './device/device.route.ts';
import { incidentRoutes } from './incidents/incidents.route.ts';
import { liveRoute } from './live/live.route.ts';
import { notificationsRoute } from './notifications/notifications.route.ts';
import { oversightRoute } from './oversight/oversight.route.ts';
import { overviewRoute } from './overview/overview.route.ts';
import { policyRoutes } from './policies/policies.route.ts';
import { reviewRoute } from './review/review.route.ts';
import { homeRoute } from './home.route.ts';
import { agentSessionRoutes } from './sessions/sessions.route.ts';
import { settingsRoutes } from './settings/settings.routes.ts';
import { signInRoutes } from './sign-in/sign-in.routes.ts';
import { startRoute } from './start/start.route.ts';
import { toolsRoute } from './tools/tools.route.ts';
import { usageRoute } from './usage/usage.route.ts';
import { verifyRoute } from './verify/verify.route.ts';
import { webhookRoutes } from './webhooks/webhooks.route.ts';

/** Pages of a session, inside the shell. */
export const pageRoutes = [
  homeRoute,
  overviewRoute,
  startRoute,
  liveRoute,
  ...agentSessionRoutes,
  decisionRoute,
  reviewRoute,
  groupsRoute,
  ...policyRoutes,
  budgetsRoute,
  ...grantRoutes,
  oversightRoute,
  evidenceRoute,
  ...agentRoutes,
  toolsRoute,
  ...haltRoutes,
  alertsRoute,
  ...webhookRoutes,
  deviceRoute,
  ...incidentRoutes,
  ...complianceRoutes,
  usageRoute,
  ...settingsRoutes,
  notificationsRoute,
] as const;

/** Pages before a session. */
export const openRoutes = [...signInRoutes, verifyRoute] as const;
