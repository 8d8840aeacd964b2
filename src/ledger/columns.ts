// Plain columns: document members that repeat values of the chain for lists and searches, declared by each resource.
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

/** The input from which a fixed column is computed. */
export interface ColumnSource<T extends Sealed, P extends ColumnPayload> {
  entry: T;
  payload: P;
  value: ReadValue;
}

/** Reads a committed value by name; null: not given, or erased; undefined: never stored, or not readable. */
export type ReadValue = <V>(name: string) => V | null | undefined;

/** The parts of an amendment from which columns are computed. */
export interface ColumnAmendment {
  payload: AmendmentPayload;
  createdAt: Date;
}

/** A column that never changes. */
interface FixedColumn<T extends Sealed, P extends ColumnPayload> {
  type: ColumnType;
  /** Computes the value; undefined: it cannot be derived from what is stored. */
  from(source: ColumnSource<T, P>): unknown;
}

/** A column that follows the amendments. */
interface AmendedColumn<P extends ColumnPayload> {
  /** Absent for a member of another column. */
  type?: ColumnType;
  initial(payload: P): unknown;
  /** The value after one more amendment; undefined: unchanged. */
  change(amendment: ColumnAmendment): unknown;
}

/** A member that never changes and that an amendment may state. */
interface StatedMember {
  /** Reads the value from an amendment; undefined: it does not state one. */
  fromAmendment(payload: AmendmentPayload): unknown;
}

/** A column that is not recorded in the chain, so it is never verified. */
interface UnrecordedColumn {
  type: ColumnType;
}

type Column<T extends Sealed, P extends ColumnPayload> =
  | FixedColumn<T, P>
  | AmendedColumn<P>
  | UnrecordedColumn;

/** The members that the ledger itself stores in a document. */
type LedgerMember = keyof Sealed | 'sealed' | 'changed' | 'foldedTo' | 'generation' | 'content';

/** Declares every column of the documents `T`, and members of columns by their path. */
export interface ColumnDeclaration<T extends Sealed, P extends ColumnPayload> {
  /** The kind of entry that has these columns. */
  kind: P['kind'];
  columns: Readonly<Record<Exclude<keyof T & string, LedgerMember>, Column<T, P>>> & {
    readonly [path: `${string}.${string}`]: AmendedColumn<P> | StatedMember;
  };
  /** Paths that may change without an amendment. */
  assignable?: readonly string[];
  /** Paths that an erasure removes. */
  erasable?: readonly string[];
}

/** The declared columns, grouped by how their values are computed. */
export interface Columns<T extends Sealed = Sealed, P extends ColumnPayload = ColumnPayload> {
  kind: P['kind'];
  types: Readonly<Record<string, ColumnType>>;
  fixed: readonly (readonly [name: string, column: FixedColumn<T, P>])[];
  amended: readonly (readonly [path: string, column: AmendedColumn<P>])[];
  stated: readonly (readonly [path: string, member: StatedMember])[];
  assignable: readonly string[];
  erasable: readonly string[];
}

/** Groups declared columns. A column's group is decided by its member: `from`, `change` or `fromAmendment`. */
export function defineColumns<T extends Sealed, P extends ColumnPayload>(
  declaration: ColumnDeclaration<T, P>,
): Columns<T, P> {
  const { kind, columns, assignable = [], erasable = [] } = declaration;
  const all = Object.entries<object>(columns);
  const filterColumns = <C>(member: string): [string, C][] =>
    all.filter(([, column]) => member in column) as [string, C][];
  return {
    kind,
    types: Object.fromEntries(
      filterColumns<{ type: ColumnType }>('type').map(([name, { type }]) => [name, type]),
    ),
    fixed: filterColumns<FixedColumn<T, P>>('from'),
    amended: filterColumns<AmendedColumn<P>>('change'),
    stated: filterColumns<StatedMember>('fromAmendment'),
    assignable,
    erasable,
  };
}
