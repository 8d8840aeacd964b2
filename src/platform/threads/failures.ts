// Errors as threads exchange them: plain data, since structured cloning loses their class and most of their members.
import { AppError } from '../../errors.ts';

/** The parts of an `AppError`. */
export type PlainFailure = Pick<AppError, 'code' | 'message' | 'data' | 'headers'>;

/** What a thread answers in place of a value. */
export type ThreadFailure =
  | { refusal: PlainFailure }
  /** `marks`: callers decide by name and labels whether a retry may help. */
  | { error: unknown; marks: { name: string; errorLabels: readonly string[] } };

/** @throws what is no `AppError` */
export function toPlainFailure(error: unknown): PlainFailure {
  if (!(error instanceof AppError)) throw error;
  const { code, message, data, headers } = error;
  return { code, message, data, headers };
}

export const restoreFailure = ({ code, message, data, headers }: PlainFailure): AppError =>
  new AppError(code, message, { data, headers });

export function packError(error: unknown): ThreadFailure {
  if (error instanceof AppError) return { refusal: toPlainFailure(error) };
  const { name = 'Error', errorLabels = [] } = error as { name?: string; errorLabels?: string[] };
  return { error, marks: { name, errorLabels: [...errorLabels] } };
}

export function unpackError(failure: ThreadFailure): unknown {
  if ('refusal' in failure) return restoreFailure(failure.refusal);
  return Object.assign(failure.error as object, failure.marks);
}
