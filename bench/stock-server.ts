// The baselines R1 and R2: stock Express that echoes the body, and the same after one majority insert of it.
import express from 'express';
import mongoose from 'mongoose';
import { sendMessage } from './wire.ts';

const [port = '', uri = ''] = process.argv.slice(2);
const client = await mongoose.mongo.MongoClient.connect(uri, {
  writeConcern: { w: 'majority' },
  maxPoolSize: 24,
});
const decisions = client.db().collection('stock');

const app = express();
app.use(express.json({ limit: '2mb' }));
app.post('/echo', (req, res) => {
  res.json(req.body);
});
app.post('/insert', async (req, res) => {
  await decisions.insertOne(req.body as object);
  res.json(req.body);
});
app.listen(Number(port), '127.0.0.1', () => sendMessage({ kind: 'ready' }));
process.on('disconnect', () => process.exit());
