// The custodian that a party runs for the Assay of another: it keeps keys in a folder, and signs only what it has done.
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { parseDestruction } from '../../../domain/erasure/destruction.ts';
import { isSameSecret } from '../../../domain/same-secret.ts';
import type { KeptEpochs } from '../file-custodian.ts';
import { statement } from './peer-calls.ts';

/** What a custodian has answered; `what` names no secret. */
export interface CustodianRecord {
  at: Date;
  what: string;
  status: number;
}

export interface CustodianServerOptions {
  kept: KeptEpochs;
  /** The installation proves by it who it is. */
  token: string;
  now: () => Date;
  note: (record: CustodianRecord) => void;
}

interface Answer {
  status: number;
  body: object;
}

type Handler = (epoch: number, body: string) => Promise<Answer>;

const BODY_BYTES = 4096;
const REQUEST_MS = 10_000;
const CONNECTIONS_MAX = 100;
/** How far the time of a statement may be from the custodian's own. */
const STATEMENT_MS = 300_000;

class Refusal extends Error {
  readonly answer: Answer;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.answer = { status, body: { error: { code, message } } };
  }
}

const answerOk = (body: object): Answer => ({ status: 200, body });
const toBase64 = (bytes: Buffer | null): string | null => bytes && bytes.toString('base64');

/** @throws Refusal for more bytes than any request needs */
async function readBody(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length > BODY_BYTES)
      throw new Refusal(413, 'PAYLOAD_TOO_LARGE', `at most ${BODY_BYTES} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(400, 'VALIDATION_ERROR', 'the body must be JSON');
  }
}

/** The calls by method and path; `N` is an epoch. */
function createHandlers({ kept, now }: CustodianServerOptions): Record<string, Handler> {
  async function assertDestroyed(text: string): Promise<void> {
    const destruction = parseDestruction(text);
    if (!destruction)
      throw new Refusal(400, 'VALIDATION_ERROR', 'text: must be a statement about a destruction');
    const oldest = await kept.findOldest();
    if (oldest === null || destruction.epoch >= oldest)
      throw new Refusal(409, 'NOT_DESTROYED', 'the keys of these epochs are not destroyed');
    if (Math.abs(destruction.destroyedAt.getTime() - now().getTime()) > STATEMENT_MS)
      throw new Refusal(409, 'WRONG_TIME', 'the time is not that of the custodian');
  }

  return {
    async 'POST /epochs/N'(epoch) {
      const oldest = await kept.findOldest();
      if (oldest !== null && epoch < oldest)
        throw new Refusal(409, 'EPOCH_DESTROYED', `epochs before ${oldest} are destroyed`);
      return answerOk({ key: toBase64((await kept.makeEpoch(epoch)).key) });
    },
    'GET /epochs/N': async (epoch) => answerOk({ key: toBase64(await kept.openEpoch(epoch, '')) }),
    async 'POST /epochs/N/destroy-before'(epoch) {
      if ((await kept.openEpoch(epoch, '')) === null)
        throw new Refusal(409, 'EPOCH_UNKNOWN', `there is no key of epoch ${epoch} to go on with`);
      await kept.destroyBefore(epoch, '');
      return answerOk({ oldest: await kept.findOldest() });
    },
    async 'GET /signer'() {
      const { publicKey } = await kept.loadSigner();
      return answerOk({ publicKey: publicKey.toString('base64') });
    },
    async 'POST /statements'(_epoch, body) {
      const { data, error } = statement.safeParse(parseJson(body));
      if (error) throw new Refusal(400, 'VALIDATION_ERROR', 'text: must be a text');
      await assertDestroyed(data.text);
      const { sign } = await kept.loadSigner();
      const signature = Buffer.from(await sign(Buffer.from(data.text)));
      return answerOk({ signature: signature.toString('base64') });
    },
  };
}

const EPOCH = /(?<=^\/epochs\/)[1-9]\d{0,8}(?=\/|$)/;

/** Creates the server; it listens when its owner says so, behind a proxy that ends TLS unless on one machine. */
export function createCustodianServer(options: CustodianServerOptions): Server {
  const handlers = createHandlers(options);

  async function answerRequest(request: IncomingMessage): Promise<Answer> {
    if (!isSameSecret(request.headers.authorization ?? '', `Bearer ${options.token}`))
      throw new Refusal(401, 'UNAUTHENTICATED', 'give the token of this custodian');
    const { method = '', url = '' } = request;
    const handler = handlers[`${method} ${url.replace(EPOCH, 'N')}`];
    if (!handler) throw new Refusal(404, 'NOT_FOUND', 'the custodian has no such operation');
    return handler(Number(EPOCH.exec(url)?.[0] ?? 0), await readBody(request));
  }

  const server = createServer({ requestTimeout: REQUEST_MS }, (request, response) => {
    const what = `${request.method} ${request.url}`.slice(0, 100);
    answerRequest(request)
      .catch((error: unknown) => {
        if (error instanceof Refusal) return error.answer;
        const message = 'the custodian cannot do that now';
        return { status: 500, body: { error: { code: 'INTERNAL_ERROR', message } } };
      })
      .then(({ status, body }) => {
        options.note({ at: options.now(), what, status });
        // The rest of a body that is too long is not read.
        if (!request.complete) response.setHeader('connection', 'close');
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(body));
      })
      .catch(() => response.destroy());
  });
  server.maxConnections = CONNECTIONS_MAX;
  return server;
}
