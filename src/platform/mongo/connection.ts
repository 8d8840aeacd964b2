// Connects Mongoose to the database, and refuses a deployment without transactions or change streams.
import mongoose, { type Connection } from 'mongoose';

const MIN_VERSION = 6;
/** A later answer would be too inaccurate to compare clocks. */
const HELLO_TIMEOUT_MS = 5000;

export interface MongoOptions {
  uri: string;
  /** Maximum number of connections to a server. */
  poolSize: number;
  /** How long to look for a primary, at the start and during a fail-over. */
  selectionTimeoutMs?: number;
}

export interface Mongo {
  connection: Connection;
  close(): Promise<void>;
}

// Applies to every model of the process, whatever the order in which files are loaded.
// Filters are not sanitised: a caller's value reaches one only through a zod schema that makes it a scalar.
mongoose.set({ strictQuery: 'throw', transactionAsyncLocalStorage: true });

/**
 * Connects with majority reads and writes; creates neither collections nor indexes.
 * @throws Error with a readable message: no server, a stand-alone server, or MongoDB older than 6.0
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
    // The driver itself waits for a primary; a second queue would only blur its timeout.
    bufferCommands: false,
  });
  try {
    await connection.asPromise();
    await assertSupported(connection);
  } catch (error) {
    await connection.close();
    throw toReadableError(error, uri);
  }
  return { connection, close: () => connection.close() };
}

/** The database's time in milliseconds since the epoch: the `localTime` of its `hello`. */
export async function readDatabaseTime(connection: Connection): Promise<number> {
  const hello = await getAdminDb(connection).command({ hello: 1 }, { timeoutMS: HELLO_TIMEOUT_MS });
  return (hello.localTime as Date).getTime();
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|::1)$/;

/** Whether the database runs on this machine, and so shares its clock. */
export function isOnThisMachine(connection: Connection): boolean {
  const { hosts } = connection.getClient().options;
  return hosts.every(
    ({ host, socketPath }) => socketPath !== undefined || LOOPBACK.test(host ?? ''),
  );
}

async function assertSupported(connection: Connection): Promise<void> {
  const hello = await getAdminDb(connection).command({ hello: 1 });
  if (hello.setName === undefined && hello.msg !== 'isdbgrid') {
    throw new Error(
      'MONGODB_URI names a stand-alone server. Assay requires transactions and change streams: ' +
        'use a replica set (one member is enough: start mongod with --replSet and run rs.initiate()) or a sharded cluster.',
    );
  }
  const { version } = await getAdminDb(connection).command({ buildInfo: 1 });
  if (Number.parseInt(version, 10) < MIN_VERSION) {
    throw new Error(
      `MONGODB_URI names MongoDB ${version}; Assay requires ${MIN_VERSION}.0 or later.`,
    );
  }
}

function getAdminDb(connection: Connection): mongoose.mongo.Db {
  return connection.getClient().db('admin');
}

/** Adds the address to the driver's message, without the password. */
function toReadableError(error: unknown, uri: string): unknown {
  if (!(error instanceof mongoose.Error.MongooseServerSelectionError)) return error;
  const address = uri.replace(/\/\/[^@/]*@/, '//***@');
  return new Error(`No primary found at ${address}: ${error.message}`, { cause: error });
}
