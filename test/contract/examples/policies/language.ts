// Policies as rule-language source.
import { managers, denyForeigner, readers, readersInPerson } from '../access.ts';
import type { ResourceExamples } from '../example.ts';

const renderSource = (mark: string): string =>
  `policy "${mark} written" when outputDecision.action == "${mark} wipe" then flag_for_review`;

export const policyLanguage: ResourceExamples = {
  access: {
    'POST /api/v1/policies/from-adl': denyForeigner(managers),
    'POST /api/v1/policies/_new/validate-adl': readersInPerson,
    'POST /api/v1/policies/:id/validate-adl': denyForeigner(readersInPerson),
    'GET /api/v1/policies/:id/adl': denyForeigner({ ...readers, auditor: 'ok' }),
  },
  examples: {
    'POST /api/v1/policies/from-adl': ({ mark, workspaceId }) => ({
      body: { adl: renderSource(mark), name: `${mark} named`, workspaceId },
    }),
    'POST /api/v1/policies/_new/validate-adl': ({ mark }) => ({
      body: { adl: renderSource(mark) },
    }),
    'POST /api/v1/policies/:id/validate-adl': ({ mark, policyId }) => ({
      params: { id: policyId },
      body: { adl: renderSource(mark) },
    }),
    'GET /api/v1/policies/:id/adl': ({ policyId }) => ({ params: { id: policyId } }),
  },
};
