// Declares routes: one object per route, read by the pipeline, the router, the API reference and the contract tests.
import type { z } from 'zod';
import type { Json } from '@assay/json';
import type { AppError, Code } from '../../errors.ts';
import type { Feature } from '../../domain/identity/plans.ts';
import type { Role } from '../../domain/identity/roles.ts';
import type { PlatformContext } from '../../platform/context.ts';
import { addPaging } from './paging.ts';
import type { Auth, Principals } from './principals.ts';
import type { RateLimit } from './rate-limits.ts';

/** Page size of a page-based list: default and maximum. */
export interface PageRule {
  limit: number;
  max: number;
}

/** Request data that a handler gets besides its declared inputs. */
export interface RequestMeta {
  requestId: string;
  ip: string;
  userAgent: string | null;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The value of a request cookie; null when absent. */
  cookie: (name: string) => string | null;
  /** The query string as sent, without its question mark. */
  rawQuery: string;
  /** The request body after content decoding; empty when the route declares none. */
  rawBody: Buffer;
  /**
   * How many of the last decisions that the request brings are past the limit of its agent, and what says so; absent where
   * all are within it.
   */
  overLimit?: OverLimit | undefined;
  /** The parsed body, before validation by a schema; of a large body, the members that its route needs. */
  sent?: Json | undefined;
  /** Whether the caller has disconnected. */
  hasLeft: () => boolean;
  /** When its head had arrived, by `performance.now()`. */
  receivedAt: number;
  /** Lets the next large body be computed before this request is answered; absent for a small body. */
  endComputing?: () => void;
}

/** Decisions of one request beyond a rate limit, and the error that each of them gets. */
export interface OverLimit {
  count: number;
  error: AppError;
}

/** A large body that was parsed outside of the event loop. */
export interface LargeBody<L> {
  /** See `RequestMeta`. */
  sent: Json | undefined;
  /** The parsed body, or why it is refused. */
  body: L | AppError;
}

/** Parts of an audit entry that only the handler knows. */
export interface AuditDetails {
  /** Replaces the declared action, where a route has several outcomes. */
  action?: string;
  organizationId?: string;
  userId?: string;
  userEmail?: string;
  userRole?: Role;
  resourceId?: string;
  detail?: string;
  metadata?: Record<string, unknown>;
}

/** The data of a route of kind `file`. */
export interface FileDownload {
  type: string;
  /** Null: displayed inline, not saved. */
  filename: string | null;
  /** Pieces are produced as the client reads them: nothing is open before the response begins. */
  body: AsyncIterable<string | Uint8Array> | string | Uint8Array;
}

export interface ReplyCookie {
  name: string;
  /** Null clears it. */
  value: string | null;
  /** Absent: until the browser is closed. */
  maxAgeMs?: number;
  /** Below which addresses pages of this service alone send it; absent: everywhere, also from other sites. */
  path?: string;
}

export interface ReplyParts {
  headers?: Readonly<Record<string, string>>;
  cookies?: readonly ReplyCookie[];
  /** One audit entry, or one for each thing that happened. */
  audit?: AuditDetails | readonly AuditDetails[];
  /** Members beside `data` in the envelope, as declared by `extra`. */
  extra?: Record<string, unknown>;
  /** Answers in the failure envelope, with `data` as its data. `message`: default that of the code. */
  failure?: { code: Code; message?: string | undefined };
}

export class Reply<S extends number, D> {
  readonly status: S;
  readonly data: D;
  readonly parts: ReplyParts;
  constructor(status: S, data: D, parts: ReplyParts = {}) {
    this.status = status;
    this.data = data;
    this.parts = parts;
  }
}
export const reply = <const S extends number, D>(
  status: S,
  data: D,
  parts?: ReplyParts,
): Reply<S, D> => new Reply(status, data, parts);

/** What is known of a request before its body is read. */
interface CallInput<A extends Auth> {
  /** What functions of a wing get first. */
  ctx: Principals[A] & PlatformContext;
  meta: RequestMeta;
}

type None = z.ZodUndefined;
type Input<
  A extends Auth,
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType,
  G,
  L = never,
> = Principals[A] &
  CallInput<A> & {
    params: z.output<P>;
    query: z.output<Q>;
    body: z.output<B> | L;
  } & (G extends PageRule ? { page: { skip: number; limit: number } } : unknown);
type Data<D extends z.ZodType, G> = G extends PageRule
  ? { items: z.input<D>[]; total: number }
  : z.input<D>;

export interface AuditRule {
  /** Event name, for example `policy.create`. */
  action: string;
  /** Type of the affected record, for example `policy`. */
  resource: string;
}

/** The members of a declaration that do not affect the handler's type. */
export interface Meta {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Relative to the mount, in Express syntax. */
  path: string;
  summary: string;
  /** Membership roles that may call; default: every reading role. */
  roles?: readonly Role[];
  systemRoles?: readonly ('owner' | 'admin')[];
  plan?: Feature;
  /**
   * Acts on the account itself: refused to a session that one organisation's sign-on opened, unless the account is that
   * organisation's own.
   */
  account?: boolean;
  /** Requires a verified mailbox, where the installation asks for one. */
  verified?: boolean;
  /** Also allowed to a member whom the directory has deactivated, such as logging out. */
  whileDeactivated?: boolean;
  /** Its rate limits beside those of its mount and of its callers, in the order of their counts. */
  limits?: readonly RateLimit[];
  /** Follows a decision that was counted: with a key it counts against `FOLLOW_UP` alone. */
  followsDecision?: boolean;
  /** Reads or sends much: an organisation may have a few such requests at a time. */
  heavy?: boolean;
  /**
   * May wait for an event, with `tenant.waitAside`, where the query has this member. Such a request ends when the caller
   * leaves, and counts as `followsDecision` does.
   */
  waits?: 'wait' | 'approval';
  /** Computes requests that arrive together in one batch, so none of them waits for the others of its organisation. */
  batched?: boolean;
  /** Code of an invalid body; default `VALIDATION_ERROR`. */
  invalidCode?: Code;
  /** Codes of invalid body members that have a code of their own, by member name. */
  memberCodes?: Readonly<Record<string, Code>>;
  /** Code of a missing role; default `FORBIDDEN`. */
  forbiddenCode?: Code;
  /** Code of an unexpected error; default `INTERNAL_ERROR`. */
  failedCode?: Code;
  /** Further codes the handler may throw. */
  codes?: readonly Code[];
  audit?: AuditRule;
  /**
   * `transaction` (default of mutations): handler and audit rows run in one transaction. `own`: the handler manages its own
   * transactions. `none`: nothing is written.
   */
  writes?: 'transaction' | 'own' | 'none';
  /**
   * How a workspace key limited to certain agents is served: `filtered`, the service filters by agent; `irrelevant`, the
   * data belongs to no agent. Absent: 403.
   */
  agentScope?: 'filtered' | 'irrelevant';
  /** Spans all workspaces: 403 for a key that is bound to one. */
  allWorkspaces?: true;
  /** Also allowed to an agent key, as a reader of its own agent's records. */
  agentKeys?: true;
  /** Takes the header `Idempotency-Key`; the handler reads it. */
  repeatable?: true;
  /** Maximum size of the body in bytes; default 100 KiB. */
  bodyLimit?: number;
  /** Bytes of a body above which `parseLarge` parses it; default 100 KiB. */
  largeBody?: number;
  /** Ignores unknown query members, since third parties add their own. Absent: they are refused. */
  openQuery?: true;
  /**
   * The list in the body whose items are documents of their own: the handler gets an unsafe one as an `UnsafeJson` in its
   * place, and checks the others.
   */
  documents?: string;
  /** Encoding of the body; default JSON. The members of a form are strings; `raw`: the handler reads `meta.rawBody`. */
  bodyType?: 'json' | 'form' | 'raw';
  /**
   * `scim`: resources and errors of RFC 7644. `otlp`: answers and errors of OTLP, encoded as the request. `access`: those
   * of AuthZEN; `task`: of its access requests. `bare`: `data` without an envelope. `redirect`: `data` is the location; `stream`: an event stream.
   */
  kind?: 'json' | 'file' | 'redirect' | 'scim' | 'stream' | 'otlp' | 'access' | 'task' | 'bare';
  /** Media types of a file, for the API document. */
  mediaType?: string | readonly string[];
}

export interface Declaration<
  A extends Auth,
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType,
  D extends z.ZodType,
  S extends number,
  G extends PageRule | undefined,
  F,
  L,
> extends Meta {
  auth: A;
  params?: P;
  query?: Q;
  body?: B;
  data: D;
  extra?: z.ZodObject;
  status?: S | readonly S[];
  page?: G;
  /**
   * Runs after the checks and before the transaction, for calls to other systems: a DNS look-up, an identity provider. The
   * handler gets the result as `prepared`, also when its transaction is retried. Declare it before the handler, whose type
   * depends on it.
   */
  prepare?: (input: Input<A, P, Q, B, G>) => Promise<F>;
  /**
   * Parses a large body in a thread; the handler gets its result as `body`. Absent: bodies of any size
   * are parsed by the schema. Declare it before the handler, whose type depends on it.
   */
  parseLarge?: (input: CallInput<A>) => Promise<LargeBody<L>>;
  /**
   * Takes the header `If-Match`: resolves with when that which the request changes was changed last, the `updatedAt` that
   * callers read; null: there is nothing yet.
   */
  readLastChange?: (input: Pick<Input<A, P, Q, B, G>, 'ctx' | 'params'>) => Promise<Date | null>;
  /** How many decisions the body brings, each of which counts against the limit of its agent. Absent: the request counts. */
  countDecisions?: (body: z.output<B> | NoInfer<L>) => number;
  handler: (
    input: Input<A, P, Q, B, G, NoInfer<L>> & { prepared: F },
  ) => Promise<Data<NoInfer<D>, G> | Reply<NoInfer<S>, Data<NoInfer<D>, G>>>;
  /** Called before a 400, 413, 415, 503 or usage refusal is sent: a repeated request gets its first reply. */
  replay?: (input: CallInput<A>) => Promise<Reply<NoInfer<S>, Data<NoInfer<D>, G>> | null>;
}

/** A declaration without its type parameters, so that routes of different types fit into one array. */
export interface Route extends Meta {
  auth: Auth;
  params: z.ZodType | undefined;
  query: z.ZodType | undefined;
  body: z.ZodType | undefined;
  data: z.ZodType;
  extra: z.ZodObject | undefined;
  statuses: readonly number[];
  page: PageRule | undefined;
  prepare: ((input: object) => Promise<unknown>) | undefined;
  parseLarge: ((input: object) => Promise<LargeBody<unknown>>) | undefined;
  countDecisions?: (body: never) => number;
  readLastChange: ((input: object) => Promise<Date | null>) | undefined;
  invoke: (input: object) => Promise<Reply<number, unknown>>;
  replay: ((input: object) => Promise<Reply<number, unknown> | null>) | undefined;
}

/** Declares a route. */
export function route<
  A extends Auth,
  D extends z.ZodType,
  P extends z.ZodType = None,
  Q extends z.ZodType = None,
  B extends z.ZodType = None,
  const S extends number = 200,
  G extends PageRule | undefined = undefined,
  F = undefined,
  L = never,
>(declaration: Declaration<A, P, Q, B, D, S, G, F, L>): Route {
  const {
    prepare,
    parseLarge,
    readLastChange,
    handler,
    replay,
    status,
    params,
    query,
    body,
    extra,
    page,
    ...meta
  } = declaration;
  const statuses: readonly number[] = [status ?? 200].flat();
  return {
    ...meta,
    params,
    query: page ? addPaging(query, page) : query,
    body,
    extra,
    page,
    statuses,
    // The pipeline builds `input` from this declaration: the principal by `auth`, the rest by its schemas.
    prepare: prepare as Route['prepare'],
    parseLarge: parseLarge as Route['parseLarge'],
    readLastChange: readLastChange as Route['readLastChange'],
    async invoke(input) {
      const result = await handler(input as Input<A, P, Q, B, G, L> & { prepared: F });
      return toReply(result, statuses);
    },
    replay: replay as Route['replay'],
  };
}

function toReply<D>(
  result: D | Reply<number, D>,
  [status = 200]: readonly number[],
): Reply<number, D> {
  return result instanceof Reply ? result : new Reply(status, result);
}
