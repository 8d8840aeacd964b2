// Creates the services for regulators: impact assessments, incidents, attested clauses, and the privacy budget.
import type { AuditService } from '../resources/audit/audit.service.ts';
import { createFriaPrintService } from '../resources/fria/fria-print.service.ts';
import { createFriaService } from '../resources/fria/fria.service.ts';
import { createComplianceService } from '../resources/compliance/compliance.service.ts';
import { createLegacyNoteService } from '../resources/compliance/legacy-notes.service.ts';
import type { AttestationService } from '../resources/hash-chain/attestations.service.ts';
import { createCalendarFeedService } from '../resources/incidents/calendar/calendar-feeds.service.ts';
import { createCalendarService } from '../resources/incidents/calendar/calendar.service.ts';
import { createCheckpointService } from '../resources/incidents/checkpoints.service.ts';
import { createClockBreachService } from '../resources/incidents/clock-breaches.service.ts';
import { createIncidentService } from '../resources/incidents/incidents.service.ts';
import { createNoisedQueryService } from '../resources/privacy-budget/noised-query.service.ts';
import { createPrivacyBudgetService } from '../resources/privacy-budget/privacy-budget.service.ts';
import type { Identity } from './identity.ts';
import type { Platform } from '../platform/platform.ts';

interface Deps {
  audit: AuditService;
  attestations: AttestationService;
  identity: Identity;
}

export function createGovernance(platform: Platform, { audit, attestations, identity }: Deps) {
  const records = createIncidentService(platform);
  const checkpoints = createCheckpointService({ ...platform, attestations });
  const calendar = createCalendarService(platform);
  const { memberships, organizations } = identity;
  const feeds = createCalendarFeedService({ ...platform, memberships, organizations });
  const assessments = createFriaService({ ...platform, attestations });
  const print = createFriaPrintService(platform);
  const mapping = createComplianceService({ ...platform, attestations });
  const legacyNotes = createLegacyNoteService(platform);
  const budget = createPrivacyBudgetService(platform);
  const queries = createNoisedQueryService({ ...platform, budget });
  return {
    routes: {
      fria: { assessments, ...print },
      incidents: { records, checkpoints, calendar, feeds },
      compliance: { mapping, legacyNotes },
      privacy: { budget, queries },
    },
    clockBreaches: createClockBreachService({ ...platform, audit }),
  };
}
