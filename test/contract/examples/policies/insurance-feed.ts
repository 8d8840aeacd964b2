// The month in counts, for an insurer.
import { toObjectId } from '../../../setup/harness.ts';
import { managers } from '../access.ts';
import { sendNothing, type ResourceExamples } from '../example.ts';

export const insuranceFeed: ResourceExamples = {
  access: {
    'GET /api/v1/policies/insurance-feed': managers,
    // The foreigner's organisation has not opted in.
    'POST /api/v1/policies/insurance-feed': { ...managers, foreigner: 'FORBIDDEN' },
  },
  examples: {
    'GET /api/v1/policies/insurance-feed': sendNothing,
    'POST /api/v1/policies/insurance-feed': async ({ harness, owner }) => {
      const optIn = { $set: { 'insuranceFeed.enabled': true } };
      const _id = toObjectId(owner.organizationId);
      await harness.db.collection('organizations').updateOne({ _id }, optIn);
      return {};
    },
  },
};
