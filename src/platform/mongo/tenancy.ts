// Tenancy that cannot be forgotten: a Mongoose plugin that refuses every operation whose filter names no organisation.
import { Schema, type Aggregate, type Query } from 'mongoose';

/** Set on a query or aggregate that may look across organisations; a contract test lists the allowed sites. */
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

/** Thrown when a query forgot its tenant: a programming error, never a caller's. */
export class TenancyError extends Error {}

function named(filter: unknown): boolean {
  return (
    typeof filter === 'object' &&
    filter !== null &&
    (filter as Record<string, unknown>).organizationId != null
  );
}

function refuse(what: string, model: string): never {
  throw new TenancyError(`${model}.${what} without organizationId`);
}

/** Adds a required, immutable `organizationId` to the schema and guards every operation on it. */
export function tenancy(schema: Schema): void {
  schema.add({ organizationId: { type: Schema.Types.ObjectId, required: true, immutable: true } });
  for (const operation of QUERY_OPERATIONS) {
    schema.pre(operation, function (this: Query<unknown, unknown>) {
      const options = this.getOptions() as TenancyOptions;
      if (!options.crossTenant && !named(this.getFilter())) refuse(operation, this.model.modelName);
    });
  }
  schema.pre('estimatedDocumentCount', function (this: Query<unknown, unknown>) {
    refuse('estimatedDocumentCount', this.model.modelName);
  });
  schema.pre('aggregate', function (this: Aggregate<unknown>) {
    const options = this.options as TenancyOptions;
    const first = this.pipeline()[0] as { $match?: unknown } | undefined;
    if (!options.crossTenant && !named(first?.$match)) refuse('aggregate', this.model().modelName);
  });
  schema.pre('bulkWrite', (operations: readonly unknown[], options?: object) => {
    if ((options as TenancyOptions | undefined)?.crossTenant) return;
    for (const operation of operations) {
      for (const [kind, body] of Object.entries(
        operation as Record<string, { filter?: unknown; document?: unknown }>,
      )) {
        if (!named(kind === 'insertOne' ? body.document : body.filter))
          refuse('bulkWrite', 'model');
      }
    }
  });
}
