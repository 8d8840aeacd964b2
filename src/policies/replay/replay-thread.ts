// The worker thread of replays: reads, decrypts and judges stored decisions with its own database client.
import { createContents } from '../../ledger/contents/contents.ts';
import { createModels } from '../../models.ts';
import { answerRequests, readThreadData } from '../../platform/threads/answer-requests.ts';
import { type DatabaseAccess, openThreadDatabase } from '../../platform/threads/thread-database.ts';
import { evaluateDecisions, evaluatePortion } from './replay-judge.service.ts';
import type { ReplayRequest } from './replay-pool.ts';

/** Database connections: one for the replay, one for its look-ups. */
const POOL_SIZE = 2;

const access = readThreadData<DatabaseAccess>();
const { connection, keyStore } = await openThreadDatabase(access, POOL_SIZE);
const models = createModels(connection);
const contents = createContents(keyStore, () => undefined);

const deps = { models, contents };
answerRequests<ReplayRequest>((request) =>
  request.kind === 'portion' ? evaluatePortion(deps, request) : evaluateDecisions(deps, request),
);
