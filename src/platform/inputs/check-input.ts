// Checks inputs by schemas: every failure is an AppError that says what would be right.
import type { z } from 'zod';
import { AppError, type Code, limitIssues } from '../../errors.ts';
import { explainIssue, flattenIssue } from './explain-issue.ts';

/** Parses an input by its schema. @throws AppError with the first issues as text, and more of them as `data.issues` */
export function checkInput<T>(
  schema: z.ZodType<T>,
  value: unknown,
  toCode: (member: string) => Code,
): T {
  const parsed = schema.safeParse(value, { error: explainIssue });
  if (parsed.success) return removeAbsent(parsed.data);
  const found = parsed.error.issues.flatMap(flattenIssue);
  const issues = found.map(({ path, message }) => ({ path: path.join('.'), message }));
  const data = limitIssues(issues);
  const text = data.issues
    .slice(0, 3)
    .map(({ path, message }) => (path ? `${path}: ${message}` : message))
    .join('; ');
  throw new AppError(toCode(String(found[0]?.path[0])), text, { data });
}

/** Removes, in place, the members whose value is undefined: null was sent for them and means absence. */
export function removeAbsent<T>(value: T): T {
  if (Array.isArray(value)) for (const item of value) removeAbsent(item);
  else if (isPlain(value))
    for (const name in value)
      if (value[name] === undefined) delete value[name];
      else removeAbsent(value[name]);
  return value;
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
