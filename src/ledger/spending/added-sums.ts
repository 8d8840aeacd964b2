// What an entry adds to sums: by what it commits to, and the end of a grant by its own members.
import type { Spending } from '../../domain/budgets/spending.ts';
import {
  type GrantEntry,
  listEntrySpendings,
  toUseSpending,
} from '../../domain/grants/grant-use.ts';
import type { CommittedState } from '../../domain/record/committed-state.ts';
import type { Stored } from '../entry.ts';

export function listAdded(
  { kind, view }: Pick<Stored, 'kind' | 'view'>,
  { spends = [], grant }: CommittedState,
): Spending[] {
  if (kind === 'grant') return listEntrySpendings(JSON.parse(view) as GrantEntry);
  return grant ? [...spends, toUseSpending(grant)] : spends;
}
