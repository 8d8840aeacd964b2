// `assay budgets`: the limits of policies, and what is spent of each.
import type { Command } from 'commander';
import type { Assay, JsonObject } from '../../../sdk-typescript/src/index.ts';
import type { Io } from '../io.ts';
import { type Cell, CommandFailure, renderTable, toLine } from '../output.ts';
import { connectPerson, openSession } from '../session.ts';

interface BudgetOptions {
  policy?: string;
  at?: string;
}

export function addBudgetsCommand(program: Command, io: Io): void {
  program
    .command('budgets')
    .description('list the limits of policies, and what is spent of each')
    .option('--policy <name>', 'of one policy, by id or name, with all its sums')
    .option('--at <time>', 'as of a time, such as 2026-11-29T12:00:00Z')
    .action(async (options: BudgetOptions, command: Command) => {
      const session = await openSession(io, command.optsWithGlobals());
      const budgets = await readBudgets(connectPerson(session), options);
      session.output.print(budgets, (found) =>
        found.length === 0 ? 'No policy has a limit.' : found.map(renderBudget).join('\n\n'),
      );
    });
}

/** @throws CommandFailure where the policy that is named has no limit */
async function readBudgets(client: Assay, { policy, at }: BudgetOptions): Promise<JsonObject[]> {
  const list = async (query: Record<string, string>): Promise<JsonObject[]> => {
    const words = new URLSearchParams({ ...query, ...(at !== undefined && { at }) });
    const { data } = await client.send('GET', `/api/v1/budgets?${words}`);
    return (data.items ?? []) as JsonObject[];
  };
  if (policy === undefined) return list({});
  const ids = /^[0-9a-f]{24}$/.test(policy)
    ? [policy]
    : (await list({})).filter(({ name }) => name === policy).map(({ policyId }) => policyId);
  const found: JsonObject[] = [];
  for (const id of new Set(ids)) found.push(...(await list({ policyId: String(id) })));
  if (found.length === 0) throw new CommandFailure(`No policy ${toLine(policy)} has a limit`);
  return found;
}

function renderBudget(budget: JsonObject): string {
  const { name, type, enabled, per } = budget;
  const sums = (Array.isArray(budget.sums) ? budget.sums : []) as JsonObject[];
  const does = type === 'block' ? 'blocks' : 'holds for a person';
  const state = enabled === false ? ' (disabled)' : '';
  const title = `${toLine(name)}${state}: ${does} beyond ${describeLimit(budget)}`;
  if (sums.length === 0) return `${title}\nNothing is spent.`;
  const header = [toLine(per).toUpperCase(), 'SPENT', 'LEFT', 'OPEN', 'MORE FROM'];
  return `${title}\n${renderTable(
    header,
    sums.map((sum) => toCells(budget, sum)),
  )}`;
}

/** Says a limit in words, such as `500 (action.totalAmount) for each agent in 24h`. */
function describeLimit({ of, per, window, most }: JsonObject): string {
  const what = of === 'acts' ? `${toLine(most)} acts` : `${toLine(most)} (${toLine(of)})`;
  const time = window === 'ever' ? 'in all' : `in ${toLine(window)}`;
  return `${what} for each ${toLine(per)} ${time}`;
}

function toCells({ per, window }: JsonObject, sum: JsonObject): Cell[] {
  const { spent, left, open, freesAt } = sum;
  const never = window === 'ever' ? 'never' : '';
  return [
    nameTarget(per, sum),
    toCell(spent),
    toCell(left),
    toCell(open),
    toCell(freesAt ?? never),
  ];
}

const toCell = (value: unknown): string => toLine(value ?? '');

/** What the sum is of. A person has no name here: the decision that changed the sum last says more. */
function nameTarget(per: unknown, { target, traceId }: JsonObject): string {
  const { workspaceId, agentId, agentName, sessionId } = Object(target) as JsonObject;
  const agent = agentName ?? agentId;
  if (per === 'organization') return 'all';
  if (per === 'workspace') return toCell(workspaceId ?? traceId);
  if (per === 'agent') return toCell(agent ?? traceId);
  if (per !== 'session' || (agent ?? null) === null) return toCell(traceId);
  return `${toLine(agent, 30)} ${toLine(sessionId ?? 'no session', 29)}`;
}
