// A failed call of the API: code, text, what belongs to it, and the id under which the service logged it.

interface FailureEnvelope {
  error?: string;
  code?: string;
  data?: { issues?: { path: string; message: string }[] } & Record<string, unknown>;
}

const SHORT_REST_MS = 15_000;

export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly requestId: string | null;
  readonly data: FailureEnvelope['data'];
  /** After how long the service takes the request; null: it does not say. */
  retryAfterMs: number | null = null;
  /** When it failed. */
  readonly at = Date.now();

  constructor(status: number, requestId: string | null, failure: FailureEnvelope) {
    super(failure.error ?? `The service answered with status ${status}`);
    this.status = status;
    this.code = failure.code ?? 'UNKNOWN';
    this.requestId = requestId;
    this.data = failure.data;
  }

  static fromAnswer(response: Response, body: unknown): ApiError {
    const failure = typeof body === 'object' && body !== null ? body : {};
    const failed = new ApiError(response.status, response.headers.get('x-request-id'), failure);
    const seconds = Number(response.headers.get('retry-after') ?? NaN);
    failed.retryAfterMs = Number.isFinite(seconds) ? seconds * 1000 : null;
    return failed;
  }

  static fromNetwork(cause: unknown): ApiError {
    const error = 'The service cannot be reached. Check the connection; it is tried again.';
    const failed = new ApiError(0, null, { error, code: 'UNREACHABLE' });
    failed.cause = cause;
    return failed;
  }

  /** Too many requests: when the next one is taken. Null: it failed for another reason. */
  get limitedUntil(): number | null {
    return this.status === 429 ? this.at + (this.retryAfterMs ?? SHORT_REST_MS) : null;
  }

  /** Message by member of the input, as forms show it. */
  get fieldErrors(): Record<string, string> {
    const issues = this.data?.issues ?? [];
    return Object.fromEntries(issues.map(({ path, message }) => [path, message]));
  }
}

/** What a person can do about a failure. */
export function describeRemedy(error: unknown): string {
  if (!(error instanceof ApiError)) return 'Reload the page. If it happens again, report it.';
  const { status, code } = error;
  if (code === 'UPGRADE_REQUIRED') return 'The plan of this organisation does not include it.';
  if (status === 0) return 'Check that the service runs and that this device is online.';
  if (status === 401) return 'Sign in again.';
  if (status === 403) return 'Your role does not allow it. An owner or admin can change that.';
  if (status === 404) return 'It does not exist, or another organisation owns it.';
  if (code === 'LIMIT_REACHED') return 'Reject it, or approve it when enough is left.';
  if (status === 409) return 'It was changed at the same time. Reload it and look again.';
  if (status === 429) return 'More was asked than is allowed in a short time. Nothing is lost.';
  if (status >= 500) return 'Try again. If it happens again, report the request id.';
  return 'Correct the input and try again.';
}
