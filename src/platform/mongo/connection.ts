// Connects Mongoose to the database an instance runs on, and refuses one that could not keep Assay's promises.
import mongoose, { type Connection } from 'mongoose';

const oldestVersion = 6;

export interface MongoOptions {
  uri: string;
  /** Most connections to one server. */
  poolSize: number;
  /** Milliseconds to look for a primary, at the start and during a fail-over. */
  selectionTimeoutMs?: number;
}

export interface Mongo {
  connection: Connection;
  close(): Promise<void>;
}

// Of all models of the process, whatever the order in which their files are loaded.
// Filters are not sanitised here: a caller's value reaches one only through a zod schema that says it is a scalar.
mongoose.set({ strictQuery: 'throw', transactionAsyncLocalStorage: true });

/**
 * Connects with majority reads and writes; neither collections nor indexes are made on the way.
 * @throws Error with a readable message: nothing answers, a stand-alone server, or MongoDB older than 6.0.
 */
export async function connectMongo({
  uri,
  poolSize,
  selectionTimeoutMs = 10_000,
}: MongoOptions): Promise<Mongo> {
  const connection = mongoose.createConnection(uri, {
    maxPoolSize: poolSize,
    serverSelectionTimeoutMS: selectionTimeoutMs,
    writeConcern: { w: 'majority' },
    readConcern: { level: 'majority' },
    retryWrites: true,
    autoCreate: false,
    autoIndex: false,
    // The driver waits for a primary itself; a second queue in front of it would only blur the time limit.
    bufferCommands: false,
  });
  try {
    await connection.asPromise();
    await refuseUnfit(connection);
  } catch (error) {
    await connection.close();
    throw readable(error, uri);
  }
  return { connection, close: () => connection.close() };
}

/**
 * How far this machine's clock is ahead of the database's, in milliseconds (negative: behind), give or take half a round trip.
 * Source: `localTime` of the `hello` answer.
 */
export async function clockSkewMs(connection: Connection): Promise<number> {
  const asked = Date.now();
  const { localTime } = await admin(connection).command({ hello: 1 });
  const answered = Date.now();
  return (asked + answered) / 2 - (localTime as Date).getTime();
}

async function refuseUnfit(connection: Connection): Promise<void> {
  const hello = await admin(connection).command({ hello: 1 });
  if (hello.setName === undefined && hello.msg !== 'isdbgrid') {
    throw new Error(
      'MONGODB_URI names a stand-alone server. Assay needs transactions and change streams: ' +
        'give it a replica set (one member is enough: start mongod with --replSet and run rs.initiate()) or a sharded cluster.',
    );
  }
  const { version } = await admin(connection).command({ buildInfo: 1 });
  if (Number.parseInt(version, 10) < oldestVersion) {
    throw new Error(
      `MONGODB_URI names MongoDB ${version}; Assay needs ${oldestVersion}.0 or later.`,
    );
  }
}

function admin(connection: Connection): mongoose.mongo.Db {
  return connection.getClient().db('admin');
}

/** The driver's own message does not say which address it tried; the password must not be repeated. */
function readable(error: unknown, uri: string): unknown {
  if (!(error instanceof mongoose.Error.MongooseServerSelectionError)) return error;
  const address = uri.replace(/\/\/[^@/]*@/, '//***@');
  return new Error(`No primary answers at ${address}: ${error.message}`, { cause: error });
}
