// Headers that are kept until the head is written: each once, the last one said counts, whichever way it was said.
import type { AddressInfo } from 'node:net';
import express, { type RequestHandler } from 'express';
import { afterAll, expect, test } from 'vitest';
import { answerMalformed } from '../../../../src/http/answers/malformed.ts';
import { keepHeader, keepHeaders } from '../../../../src/http/fast/kept-headers.ts';
import { createHttpServer } from '../../../../src/http/server.ts';

const cases: Record<string, { handler: RequestHandler; seen: Record<string, string> }> = {
  'kept alone': {
    handler: (_req, res) => {
      keepHeaders(res, [
        ['X-One', '1'],
        ['X-Two', '2'],
      ]);
      res.end();
    },
    seen: { 'X-One': '1', 'X-Two': '2' },
  },
  'kept twice': {
    handler: (_req, res) => {
      keepHeader(res, 'X-One', '1');
      keepHeader(res, 'X-One', 'again');
      res.end();
    },
    seen: { 'X-One': 'again' },
  },
  'kept and set since': {
    handler: (_req, res) => {
      keepHeaders(res, [
        ['X-One', '1'],
        ['X-Two', '2'],
      ]);
      res.setHeader('x-one', 'set');
      res.end();
    },
    seen: { 'x-one': 'set', 'X-Two': '2' },
  },
  'set and kept since': {
    handler: (_req, res) => {
      res.setHeader('x-one', 'set');
      keepHeader(res, 'X-One', 'kept');
      res.end();
    },
    seen: { 'X-One': 'kept' },
  },
  'kept and given with the head': {
    handler: (_req, res) => {
      keepHeader(res, 'X-One', '1');
      res.writeHead(202, { 'X-One': 'given', 'X-Two': '2' }).end();
    },
    seen: { 'X-One': 'given', 'X-Two': '2' },
  },
  'kept and sent by Express': {
    handler: (_req, res) => {
      keepHeader(res, 'X-One', '1');
      res.cookie('a', 'b').status(202).json({});
    },
    seen: { 'X-One': '1', 'Set-Cookie': 'a=b; Path=/' },
  },
};

const app = express();
for (const [name, { handler }] of Object.entries(cases)) app.all(`/${encodeURI(name)}`, handler);
const server = createHttpServer(app, { isFast: true, onMalformed: answerMalformed });
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
afterAll(() => server.close());

const all = Object.entries(cases).flatMap(([name, { seen }]) =>
  ['POST', 'GET'].map((method) => ({ name, method, seen })),
);

test.each(all)('$name, asked by $method', async ({ name, method, seen }) => {
  const answer = await fetch(`${url}/${encodeURI(name)}`, { method });
  const custom = [...answer.headers].filter(([header]) =>
    /^(x-(one|two)|set-cookie)$/.test(header),
  );
  const wanted = Object.entries(seen).map(([header, value]) => [header.toLowerCase(), value]);
  expect(custom.sort()).toEqual(wanted.sort());
});
