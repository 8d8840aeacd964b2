// Budgets: what is spent of the limits of policies.
import { route } from '../../http/declaration/define-route.ts';
import { z } from 'zod';
import { budgetQuery, limitBudgetView } from './budgets.schemas.ts';
import { listBudgets } from './budgets.service.ts';

export const budgetRoutes = [
  route({
    method: 'get',
    path: '/',
    summary: 'The limits of policies, and what is spent of each',
    auth: 'reader',
    agentScope: 'filtered',
    query: budgetQuery,
    data: z.array(limitBudgetView),
    heavy: true,
    handler: ({ ctx, query }) => listBudgets(ctx, query),
  }),
];
