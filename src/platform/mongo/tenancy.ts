// Enforces tenancy: a Mongoose plugin that refuses every operation whose filter names no organisation.
import { Schema, type Aggregate, type Query } from 'mongoose';

/** Option of operations across organisations; a contract test lists them. */
interface TenancyOptions {
  crossTenant?: boolean;
}

declare module 'mongoose' {
  interface QueryOptions {
    crossTenant?: boolean;
  }
  interface AggregateOptions {
    crossTenant?: boolean;
  }
}

const QUERY_OPERATIONS = [
  'find',
  'findOne',
  'findOneAndUpdate',
  'findOneAndReplace',
  'findOneAndDelete',
  'updateOne',
  'updateMany',
  'replaceOne',
  'deleteOne',
  'deleteMany',
  'countDocuments',
  'distinct',
] as const;

/** A query without a tenant: a programming error, never a caller's fault. */
export class TenancyError extends Error {}

/** Adds a required, immutable `organizationId` to the schema and guards every operation on it. */
export function guardTenancy(schema: Schema): void {
  schema.add({ organizationId: { type: Schema.Types.ObjectId, required: true, immutable: true } });
  for (const operation of QUERY_OPERATIONS) guardQuery(schema, operation);
  guardEstimate(schema);
  guardAggregate(schema);
  guardBulkWrite(schema);
}

function guardQuery(schema: Schema, operation: (typeof QUERY_OPERATIONS)[number]): void {
  schema.pre(operation, function (this: Query<unknown, unknown>) {
    const { crossTenant } = this.getOptions() as TenancyOptions;
    if (!crossTenant) requireTenant(this.getFilter(), operation, this.model.modelName);
  });
}

/** Refuses the operation: it has no filter, so it would count the documents of every organisation. */
function guardEstimate(schema: Schema): void {
  schema.pre('estimatedDocumentCount', function (this: Query<unknown, unknown>) {
    refuse('estimatedDocumentCount', this.model.modelName);
  });
}

function guardAggregate(schema: Schema): void {
  schema.pre('aggregate', function (this: Aggregate<unknown>) {
    const { crossTenant } = this.options as TenancyOptions;
    const first = this.pipeline()[0] as { $match?: unknown } | undefined;
    if (!crossTenant) requireTenant(first?.$match, 'aggregate', this.model().modelName);
  });
}

function guardBulkWrite(schema: Schema): void {
  schema.pre('bulkWrite', (operations: readonly unknown[]) => {
    const bodies = (operations as BulkOperation[]).flatMap((operation) => Object.values(operation));
    for (const { document, filter } of bodies)
      requireTenant(document ?? filter, 'bulkWrite', 'model');
  });
}

/** Keyed by its kind; an insert has a document, everything else a filter. */
type BulkOperation = Record<string, { document?: unknown; filter?: unknown }>;

/** Exported for operations that bypass the plugin. @throws TenancyError */
export function requireTenant(filter: unknown, operation: string, model: string): void {
  const named = (filter as { organizationId?: unknown } | null | undefined)?.organizationId;
  if (named == null) refuse(operation, model);
}

function refuse(operation: string, model: string): never {
  throw new TenancyError(`${model}.${operation} without organizationId`);
}
