// Plain columns: members of a document that repeat, for lists and searches, what its chain says; declared by the document's resource.
import type { AuditPayload, TracePayload } from '../domain/record/payload.ts';
import type { AmendmentPayload } from '../domain/record/trace-state.ts';
import type { Sealed } from './entry.ts';

/** How Mongoose stores a column; `Object`: anything. */
export type ColumnType =
  | StringConstructor
  | NumberConstructor
  | BooleanConstructor
  | DateConstructor
  | ObjectConstructor
  | [StringConstructor];

/** The payload of a document with columns. */
export type ColumnPayload = TracePayload | AuditPayload;

/** What a fixed column is computed from. */
export interface ColumnSource<T extends Sealed, P extends ColumnPayload> {
  entry: T;
  payload: P;
  value: ValueOf;
}

/** A committed value by its name; null when it was not given or is erased, undefined when it was never kept or is not readable. */
export type ValueOf = <V>(name: string) => V | null | undefined;

/** An amendment of a decision, as its columns see it. */
export interface ColumnAmendment {
  payload: AmendmentPayload;
  createdAt: Date;
}

/** Never changes. */
interface FixedColumn<T extends Sealed, P extends ColumnPayload> {
  type: ColumnType;
  /** Undefined: nothing that is stored tells the value. */
  from(source: ColumnSource<T, P>): unknown;
}

/** Follows the amendments. */
interface AmendedColumn<P extends ColumnPayload> {
  /** Absent for a member of another column. */
  type?: ColumnType;
  initial(payload: P): unknown;
  /** The value after one more amendment; undefined: unchanged. */
  change(amendment: ColumnAmendment): unknown;
}

/** Never changes, and an amendment may tell what it is. */
interface ToldMember {
  /** Undefined: it does not tell. */
  told(payload: AmendmentPayload): unknown;
}

/** Not told by the chain, so never verified. */
interface UnrecordedColumn {
  type: ColumnType;
}

type Column<T extends Sealed, P extends ColumnPayload> =
  | FixedColumn<T, P>
  | AmendedColumn<P>
  | UnrecordedColumn;

/** What the ledger itself keeps in a document. */
type LedgerMember = keyof Sealed | 'sealed' | 'changed' | 'foldedTo' | 'generation' | 'content';

/** One row for every column of the documents `T`, and for members of columns, by their path. */
export interface ColumnDeclaration<T extends Sealed, P extends ColumnPayload> {
  /** The kind of entry that has these columns. */
  kind: P['kind'];
  columns: Readonly<Record<Exclude<keyof T & string, LedgerMember>, Column<T, P>>> & {
    readonly [path: `${string}.${string}`]: AmendedColumn<P> | ToldMember;
  };
  /** Paths that may change without an amendment. */
  assignable?: readonly string[];
  /** Paths that an erasure removes. */
  erasable?: readonly string[];
}

/** The declared columns, by how their values come about. */
export interface Columns<T extends Sealed = Sealed, P extends ColumnPayload = ColumnPayload> {
  kind: P['kind'];
  types: Readonly<Record<string, ColumnType>>;
  fixed: readonly (readonly [name: string, column: FixedColumn<T, P>])[];
  amended: readonly (readonly [path: string, column: AmendedColumn<P>])[];
  told: readonly (readonly [path: string, member: ToldMember])[];
  assignable: readonly string[];
  erasable: readonly string[];
}

export function defineColumns<T extends Sealed, P extends ColumnPayload>(
  declaration: ColumnDeclaration<T, P>,
): Columns<T, P> {
  const { kind, columns, assignable = [], erasable = [] } = declaration;
  const all = Object.entries<object>(columns);
  const having = <C>(member: string): [string, C][] =>
    all.filter(([, column]) => member in column) as [string, C][];
  return {
    kind,
    types: Object.fromEntries(
      having<{ type: ColumnType }>('type').map(([name, { type }]) => [name, type]),
    ),
    fixed: having<FixedColumn<T, P>>('from'),
    amended: having<AmendedColumn<P>>('change'),
    told: having<ToldMember>('told'),
    assignable,
    erasable,
  };
}
