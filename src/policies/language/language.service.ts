// Prints policies as rule-language source, checks such source and creates policies from it (document 2, section 4.2).
import type { z } from 'zod';
import { findTypeProblems, toSourceProblem, type SourceProblem } from '@assay/policy';
import { parsePolicy, type Places, printPolicy } from '@assay/policy/language';
import { AppError, limitIssues } from '../../errors.ts';
import type { Context } from '../../platform/context.ts';
import { explainIssue, flattenIssue } from '../../platform/inputs/explain-issue.ts';
import { policyInput } from '../policies.schemas.ts';
import { createPolicy, getPolicy, type PolicyView } from '../policies.service.ts';
import type { sourceInput, CheckedSource, PolicySource } from './language.schemas.ts';

/** Maximum number of errors reported for one source. */
const ERRORS_SHOWN = 20;

/** @throws AppError `NOT_FOUND` */
export async function printSource(ctx: Context, policyId: string): Promise<PolicySource> {
  const policy = await getPolicy(ctx, policyId);
  return { id: policy._id, revision: policy.revision, adl: printPolicy(policy) };
}

/** Checks a source for an existing policy. @throws AppError `NOT_FOUND` */
export async function checkForPolicy(
  ctx: Context,
  policyId: string,
  adl: string,
): Promise<CheckedSource> {
  await getPolicy(ctx, policyId);
  return checkSource(adl);
}

/** @throws AppError `VALIDATION_ERROR` for a source that is not valid, and what creating a policy throws */
export async function createFromSource(
  ctx: Context,
  { adl, name, workspaceId }: z.output<typeof sourceInput>,
): Promise<PolicyView> {
  const { policy, errors } = checkSource(adl);
  if (policy === null) throw createSourceError(errors);
  return createPolicy(ctx, {
    ...policy,
    name: name ?? policy.name,
    ...(workspaceId !== undefined && { workspaceId }),
  });
}

/** Checks that the source gives a valid policy, and that each of its conditions can hold. */
export function checkSource(adl: string): CheckedSource {
  const parsed = parsePolicy(adl);
  if ('problem' in parsed) return toInvalidSource([parsed.problem]);
  const { policy, places } = parsed;
  const saved = policyInput.safeParse(policy, { error: explainIssue });
  const found = saved.success
    ? findTypeProblems(policy.conditions)
    : saved.error.issues
        .flatMap(flattenIssue)
        .map(({ path, message }) => ({ path: path.join('.'), text: message }));
  const errors = found
    .map(({ path, text }) => ({ at: findPosition(path, places), message: text }))
    .sort((one, other) => one.at - other.at)
    .slice(0, ERRORS_SHOWN)
    .map(({ at, message }) => toSourceProblem(adl, at, message));
  return saved.success && errors.length === 0
    ? { valid: true, errors, policy: saved.data }
    : toInvalidSource(errors);
}

function toInvalidSource(errors: SourceProblem[]): CheckedSource {
  return { valid: false, errors, policy: null };
}

/** Offset in the source of the innermost part of the path that has one. */
function findPosition(path: string, places: Places): number {
  for (let part = path; part !== ''; part = part.slice(0, Math.max(0, part.lastIndexOf('.')))) {
    const place = places.get(part);
    if (place !== undefined) return place;
  }
  return 0;
}

function createSourceError(errors: SourceProblem[]): AppError {
  const issues = errors.map(({ line, column, message }) => ({
    path: 'adl',
    message: `line ${line}, column ${column}: ${message}`,
  }));
  const data = { ...limitIssues(issues), errors };
  return new AppError('VALIDATION_ERROR', `adl: ${issues[0]?.message ?? 'not valid'}`, { data });
}
