// The main thread's side of the SAML worker: started when it is first needed, ended and replaced when a message takes too long.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { LogoutMessage } from '../../domain/saml/logout.ts';
import type { Assertion } from '../../domain/saml/response.ts';
import { AppError } from '../../errors.ts';
import type { LogoutRequest, ResponseRequest } from './saml-reader.ts';
import type { SamlResult, SamlRequest } from './saml-reader-thread.ts';

interface Parts {
  /** PEM; null: encrypted assertions are refused. */
  decryptionKey: string | null;
  log: { warn(details: object, text: string): void };
  /** For one message. */
  timeLimitMs?: number;
  /** Folder of the thread's script, as a URL; unset: this one. */
  threadScripts?: string | undefined;
}

/** Reads SAML messages apart from the event loop. */
export interface SamlReaderWorker {
  /** @throws AppError with the reason: `TOKEN_VERIFICATION_FAILED` for a response that is not believed, `FORBIDDEN` for a provider's no */
  response(question: Omit<ResponseRequest, 'kind'>): Promise<Assertion>;
  /** @throws AppError as `response` */
  logout(question: Omit<LogoutRequest, 'kind'>): Promise<LogoutMessage>;
  close(): Promise<void>;
}

/** Several times what the most laborious message takes that the strict reader lets through. */
const TIME_LIMIT_MS = 3000;
const LIMITS = { maxYoungGenerationSizeMb: 32, maxOldGenerationSizeMb: 256 };

export function createSamlReaderWorker({
  decryptionKey,
  log,
  timeLimitMs = TIME_LIMIT_MS,
  threadScripts = import.meta.url,
}: Parts): SamlReaderWorker {
  let worker: Worker | null = null;
  let turn: Promise<unknown> = Promise.resolve();

  async function started(): Promise<Worker> {
    if (worker) return worker;
    const script = new URL('./saml-reader-thread.mjs', threadScripts);
    const made = new Worker(script, {
      workerData: { decryptionKey },
      execArgv: [],
      resourceLimits: LIMITS,
    });
    made.unref();
    // Whoever waits for an answer learns of it too.
    made.on('error', () => (worker = null));
    await once(made, 'message');
    return (worker = made);
  }

  async function end(): Promise<void> {
    const ending = worker;
    worker = null;
    await ending?.terminate();
  }

  async function ask(question: SamlRequest): Promise<Assertion | LogoutMessage> {
    const thread = await started();
    const answered = once(thread, 'message', {
      signal: AbortSignal.timeout(timeLimitMs),
    }) as Promise<[SamlResult]>;
    thread.postMessage(question);
    const [answer] = await answered.catch(async (error: unknown) => {
      await end();
      return [{ fault: error }] as [SamlResult];
    });
    if ('value' in answer) return answer.value;
    if ('refusal' in answer)
      throw new AppError(
        answer.isDenial ? 'FORBIDDEN' : 'TOKEN_VERIFICATION_FAILED',
        answer.refusal,
      );
    log.warn({ err: answer.fault, kind: question.kind }, 'a SAML message could not be read');
    throw new AppError('TOKEN_VERIFICATION_FAILED', 'The message cannot be read');
  }

  /** One after the other, so that each has its whole time. */
  function inTurn(question: SamlRequest): Promise<Assertion | LogoutMessage> {
    const asked = turn.then(() => ask(question));
    turn = asked.catch(() => undefined);
    return asked;
  }

  return {
    response: (question) => inTurn({ ...question, kind: 'response' }) as Promise<Assertion>,
    logout: (question) => inTurn({ ...question, kind: 'logout' }) as Promise<LogoutMessage>,
    close: end,
  };
}
