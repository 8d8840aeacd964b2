// How well policies judge, and the auditor's view.
import { denyForeigner, managers, readers } from '../access.ts';
import { sendNothing, type ResourceExamples } from '../example.ts';

export const policyEffectiveness: ResourceExamples = {
  access: {
    'GET /api/v1/policies/effectiveness': { ...readers, auditor: 'ok' },
    'GET /api/v1/policies/audit/auditor-view': { ...managers, auditor: 'ok' },
    'GET /api/v1/policies/:id/effect': denyForeigner(readers),
  },
  examples: {
    'GET /api/v1/policies/effectiveness': sendNothing,
    'GET /api/v1/policies/audit/auditor-view': sendNothing,
    'GET /api/v1/policies/:id/effect': ({ policyId }) => ({ params: { id: policyId } }),
  },
};
