// The worker thread of replays: reads, decrypts and judges stored decisions with its own database client.
import '../../platform/background-thread.ts';
import { workerData } from 'node:worker_threads';
import { createContents } from '../../ledger/contents/contents.ts';
import { createModels } from '../../models.ts';
import { type KeyStoreAccess, openKeyStore } from '../../platform/key-store/open-key-store.ts';
import { connectMongo } from '../../platform/mongo/connection.ts';
import { answerRequests } from '../../platform/thread-answers.ts';
import { createReplayJudge, type ReplayPortion } from './replay-judge.service.ts';

export interface ReplayThreadData {
  /** Connection string. */
  uri: string;
  /** Name of the database. */
  database: string;
  keyStore: KeyStoreAccess;
}

/** Database connections: one for the replay, one for its look-ups. */
const POOL_SIZE = 2;

const { uri, database, keyStore: access } = workerData as ReplayThreadData;
const { connection } = await connectMongo({ uri, poolSize: POOL_SIZE });
const models = createModels(connection.useDb(database));
const { keyStore } = await openKeyStore(access, { connection, database });
const judge = createReplayJudge({ models, contents: createContents(keyStore, () => undefined) });

answerRequests<ReplayPortion>(({ request }) => judge.evaluatePortion(request));
