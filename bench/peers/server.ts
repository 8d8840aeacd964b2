// Servers to compare with besides stock Express: Fastify that echoes the body, and a plain server as users write it.
import express from 'express';
import Fastify from 'fastify';
import mongoose from 'mongoose';
import { ledgerEntrySchema } from '../../src/ledger/ledger.model.ts';
import { traceSchema } from '../../src/decisions/traces/traces.model.ts';
import { sendMessage } from '../wire.ts';

const [port = '', kind = '', uri = ''] = process.argv.slice(2);
const BODY_LIMIT = 2_000_000;
const HOST = '127.0.0.1';

async function serveFastify(): Promise<void> {
  const app = Fastify({ bodyLimit: BODY_LIMIT });
  app.post('/', (request) => request.body);
  await app.listen({ port: Number(port), host: HOST });
}

/** Express with a Mongoose model and the indexes of Assay's decisions: stores without judging, scrubbing or sealing. */
async function servePlain(): Promise<void> {
  await mongoose.connect(uri, { maxPoolSize: 24, writeConcern: { w: 'majority' } });
  const schema = new mongoose.Schema(
    {
      organizationId: { type: mongoose.Schema.Types.ObjectId, required: true },
      sequence: { type: Number, required: true },
      status: { type: String, required: true },
      agentId: { type: String, required: true },
      inputContext: { type: Object, required: true },
      outputDecision: { type: Object, required: true },
      rationale: String,
      metadata: Object,
    },
    { timestamps: true, autoIndex: false },
  );
  const decisions = mongoose.model('PlainDecision', schema);
  for (const [key] of [...ledgerEntrySchema.indexes(), ...traceSchema.indexes()])
    await decisions.collection.createIndex(key as Record<string, 1 | -1>);
  const organizationId = new mongoose.Types.ObjectId();
  let sequence = 0;
  const app = express();
  app.use(express.json({ limit: BODY_LIMIT }));
  app.post('/', async (req, res) => {
    sequence += 1;
    const row = { ...(req.body as object), organizationId, sequence, status: 'approved' };
    res.json(await decisions.create(row));
  });
  await new Promise<void>((resolve) => void app.listen(Number(port), HOST, () => resolve()));
}

await (kind === 'fastify' ? serveFastify() : servePlain());
sendMessage({ kind: 'ready' });
process.on('disconnect', () => process.exit());
