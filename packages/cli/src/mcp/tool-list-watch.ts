// Watches the lists of tools of a server: a tool that is new, or described otherwise, is put on the record. It cannot
// be called while a policy holds or forbids the change. The first list is taken as it is.
import { createHash } from 'node:crypto';
import type { Assay } from '../../../sdk-typescript/src/index.ts';
import { hashJson, hashText } from '../../../sdk-typescript/src/digest.ts';
import { Blocked, NotDecided } from '../../../sdk-typescript/src/errors.ts';
import type { JsonObject } from '../../../sdk-typescript/src/json.ts';
import { assertApproved } from '../../../sdk-typescript/src/service.ts';
import type { ToolListStore } from './tool-list-store.ts';

interface WatchOptions {
  assay: Assay;
  /** Name of the upstream server. */
  server: string;
  store: ToolListStore;
  /** Gets what could not be asked for or kept. */
  onError: (error: unknown) => void;
}

/** Digests of tools by name. */
export type ToolDigests = Readonly<Record<string, string>>;

interface PendingChange {
  /** The tools as they would be. */
  next: ToolDigests;
  /** Which of them cannot be called. */
  names: ReadonlySet<string>;
  /** The decision; null: it could not be asked for yet. */
  traceId: string | null;
}

const CHANGE_TOOL = 'mcp.tools_changed';

export class ToolListWatch {
  readonly #options: WatchOptions;
  #seen: Promise<ToolDigests | null> | undefined;
  #pending: PendingChange | null = null;
  /** Lists are compared one after the other. */
  #last: Promise<void> = Promise.resolve();

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  /** Compares a list with what was seen before. `isWhole`: what it does not name is gone. It never rejects. */
  compare(tools: readonly JsonObject[], isWhole: boolean): Promise<void> {
    const compared = this.#last.then(() => this.#compareNow(tools, isWhole));
    this.#last = compared.catch(this.#options.onError);
    return this.#last;
  }

  /** @throws AssayError for a tool that changed, as long as the change is not approved */
  async assertKnown(name: string): Promise<void> {
    await this.#last;
    const pending = this.#pending;
    if (!pending?.names.has(name)) return;
    if (pending.traceId === null) {
      await this.#propose(pending);
      if (this.#pending === null) return;
    }
    const traceId = this.#pending?.traceId ?? '';
    try {
      assertApproved(traceId, await this.#options.assay.decisions.wait(traceId, 0));
    } catch (error) {
      if (!(error instanceof NotDecided)) throw error;
      const text = `The server changed its tool ${name}, and a person has to decide about that first`;
      throw new NotDecided(text, { traceId, code: error.code });
    }
    await this.#adopt(pending.next);
  }

  async #compareNow(tools: readonly JsonObject[], isWhole: boolean): Promise<void> {
    const { store } = this.#options;
    this.#seen ??= store.read();
    const seen = await this.#seen;
    const listed = await hashTools(tools);
    const next = isWhole ? listed : { ...seen, ...listed };
    if (seen === null) return this.#adopt(next);
    const names = Object.keys(next).filter((name) => seen[name] !== next[name]);
    const removed = Object.keys(seen).filter((name) => !(name in next));
    if (names.length === 0 && removed.length === 0) this.#pending = null;
    else if (names.length === 0) await this.#record(next, { names, removed });
    else if (JSON.stringify(this.#pending?.next) !== JSON.stringify(next))
      await this.#record(next, { names, removed });
  }

  async #record(
    next: ToolDigests,
    { names, removed }: { names: string[]; removed: string[] },
  ): Promise<void> {
    const pending = { next, names: new Set(names), traceId: null, removed };
    this.#pending = pending;
    // Without Assay the tools that changed stay closed; the next call of one asks again.
    await this.#propose(pending).catch((error: unknown) => {
      if (!(error instanceof Blocked)) this.#options.onError(error);
    });
  }

  async #propose(change: PendingChange & { removed?: string[] }): Promise<void> {
    const { assay, server } = this.#options;
    const seen = (await this.#seen) ?? {};
    const names = [...change.names];
    const args = {
      added: names.filter((name) => !(name in seen)),
      changed: names.filter((name) => name in seen),
      removed: change.removed ?? [],
      digest: await hashJson(change.next),
    };
    const key = createHash('sha256').update(JSON.stringify([server, seen, change.next]));
    const body = {
      inputContext: { prompt: `The MCP server ${server} lists other tools than before` },
      outputDecision: { action: { server, tool: CHANGE_TOOL, arguments: args } },
    };
    try {
      const { traceId, status } = await assay.decisions.create(body, key.digest('hex'));
      if (status === 'approved') return await this.#adopt(change.next);
      this.#pending = { ...change, traceId: String(traceId) };
    } catch (error) {
      if (!(error instanceof Blocked) || error.traceId === undefined) throw error;
      this.#pending = { ...change, traceId: error.traceId };
      throw error;
    }
  }

  async #adopt(next: ToolDigests): Promise<void> {
    this.#seen = Promise.resolve(next);
    this.#pending = null;
    const { store, onError } = this.#options;
    await store.write(next).catch(onError);
  }
}

/** A definition without a canonical text, such as one with half a character, has a digest all the same. */
const hashTool = (tool: JsonObject): Promise<string> =>
  hashJson(tool).catch(() => hashText(JSON.stringify(tool)));

async function hashTools(tools: readonly JsonObject[]): Promise<ToolDigests> {
  const rows = tools.map(async (tool) => [String(tool.name), await hashTool(tool)] as const);
  return Object.fromEntries((await Promise.all(rows)).sort(([a], [b]) => (a < b ? -1 : 1)));
}
