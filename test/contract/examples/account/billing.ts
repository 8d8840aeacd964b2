// What an organisation uses and pays, and what the payment processor tells of that.
import {
  type Access,
  everybody,
  managers,
  readers,
  readersInPerson,
  refuseAll,
} from '../access.ts';
import { sendNothing, type ResourceExamples } from '../example.ts';

const payers: Access = {
  ...managers,
  reviewer: 'BILLING_FORBIDDEN',
  member: 'BILLING_FORBIDDEN',
  viewer: 'BILLING_FORBIDDEN',
  auditor: 'BILLING_FORBIDDEN',
};

export const billing: ResourceExamples = {
  access: {
    'GET /api/v1/billing': readersInPerson,
    'GET /api/v1/billing/plans': readersInPerson,
    'POST /api/v1/billing/checkout': payers,
    // None of the organisations has checked out.
    'POST /api/v1/billing/portal': refuseAll(payers, 'NO_PAYMENT_CUSTOMER'),
    'GET /api/v1/usage/current': readers,
    'GET /api/v1/usage/history': readers,
    // None of the callers can sign like the processor.
    'POST /api/payment/webhook': refuseAll(everybody, 'VALIDATION_ERROR'),
  },
  examples: {
    'GET /api/v1/billing': sendNothing,
    'GET /api/v1/billing/plans': sendNothing,
    'POST /api/v1/billing/checkout': () => ({ body: { planId: 'scale_monthly' } }),
    'POST /api/v1/billing/portal': sendNothing,
    'GET /api/v1/usage/current': sendNothing,
    'GET /api/v1/usage/history': sendNothing,
    'POST /api/payment/webhook': ({ mark }) => ({
      body: {
        id: `${mark} event`,
        type: 'customer.subscription.updated',
        created: 1,
        data: { object: {} },
      },
    }),
  },
  refused: { 'POST /api/v1/billing/portal': 400, 'POST /api/payment/webhook': 400 },
  freeForm: { 'POST /api/payment/webhook': ['data.object'] },
};
