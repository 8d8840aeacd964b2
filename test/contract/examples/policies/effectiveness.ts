// How well policies judge, and the auditor's view.
import { managers, readers } from '../access.ts';
import { sendNothing, type ResourceExamples } from '../example.ts';

export const policyEffectiveness: ResourceExamples = {
  access: {
    'GET /api/v1/policies/effectiveness': { ...readers, auditor: 'ok' },
    'GET /api/v1/policies/audit/auditor-view': { ...managers, auditor: 'ok' },
  },
  examples: {
    'GET /api/v1/policies/effectiveness': sendNothing,
    'GET /api/v1/policies/audit/auditor-view': sendNothing,
  },
};
