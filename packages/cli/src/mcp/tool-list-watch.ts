// Watches the lists of tools of a server: a tool that is new, or described otherwise, is put on the record. It cannot
// be called while a policy holds or forbids the change. The first list is taken as it is.
import { createHash } from 'node:crypto';
import type { Assay } from '../../../sdk-typescript/src/index.ts';
import { hashJson, hashText } from '../../../sdk-typescript/src/digest.ts';
import { Blocked, NotDecided } from '../../../sdk-typescript/src/errors.ts';
import type { Json, JsonObject } from '../../../sdk-typescript/src/json.ts';
import { shortenAction } from '../../../sdk-typescript/src/large-arguments.ts';
import { assertApproved, assertBound, type Proposal } from '../../../sdk-typescript/src/service.ts';
import { isCursor } from './messages.ts';
import type { ServerName } from './server-name.ts';
import type { ToolListStore } from './tool-list-store.ts';

interface WatchOptions {
  assay: Assay;
  server: ServerName;
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

/** Where a page of a list stands. */
interface Page {
  cursor: Json | undefined;
  nextCursor: Json | undefined;
}

const CHANGE_TOOL = 'mcp.tools_changed';
/** Lists whose next page has not come yet. */
const OPEN_MAX = 100;

export class ToolListWatch {
  readonly #options: WatchOptions;
  #seen: Promise<ToolDigests | null> | undefined;
  #pending: PendingChange | null = null;
  /** What the pages so far named, by the cursor of the next. */
  readonly #open = new Map<string, ToolDigests>();
  /** What halves of a first list named. */
  #first: ToolDigests = {};
  /** Lists are compared one after the other. */
  #last: Promise<void> = Promise.resolve();

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  /** Compares a page of a list with what was seen before. It never rejects. */
  compare(tools: readonly JsonObject[], page: Page): Promise<void> {
    const compared = this.#last.then(() => this.#compareNow(tools, page));
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

  async #compareNow(tools: readonly JsonObject[], { cursor, nextCursor }: Page): Promise<void> {
    this.#seen ??= this.#options.store.read();
    const seen = await this.#seen;
    const before = isCursor(cursor) ? this.#open.get(cursor) : {};
    const listed = await hashTools(tools, before ?? {});
    const isLast = !isCursor(nextCursor);
    if (!isLast) this.#keepOpen(nextCursor, before && listed);
    // What half a list does not name is not gone, and half a list is not what the server has.
    const isWhole = isLast && before !== undefined;
    if (!isWhole) return this.#closeChanged(seen ?? this.#first, listed, seen === null);
    if (seen === null) return this.#compareFirst(listed);
    const names = Object.keys(listed).filter((name) => seen[name] !== listed[name]);
    const removed = Object.keys(seen).filter((name) => !(name in listed));
    if (names.length === 0 && removed.length === 0) this.#pending = null;
    else if (
      JSON.stringify(this.#pending?.next) !== JSON.stringify(listed) ||
      this.#pending?.traceId === null
    )
      await this.#record(listed, { names, removed });
  }

  /** The first whole list is taken as it is, apart from what the server changed while it was read. */
  async #compareFirst(listed: ToolDigests): Promise<void> {
    const names = Object.keys(listed).filter(
      (name) => name in this.#first && this.#first[name] !== listed[name],
    );
    return names.length === 0 ? this.#adopt(listed) : this.#record(listed, { names, removed: [] });
  }

  /** Closes what changed in half a list; a call of it asks. `isFirst`: new tools are no change. */
  #closeChanged(seen: ToolDigests, listed: ToolDigests, isFirst: boolean): void {
    const names = Object.keys(listed).filter(
      (name) => seen[name] !== listed[name] && !(isFirst && !(name in seen)),
    );
    if (isFirst) this.#first = { ...listed, ...seen };
    if (names.every((name) => this.#pending?.next[name] === listed[name])) return;
    const all = new Set([...(this.#pending?.names ?? []), ...names]);
    const next = { ...seen, ...this.#pending?.next, ...listed };
    this.#pending = { next, names: all, traceId: null };
  }

  #keepOpen(cursor: string, digests: ToolDigests | undefined): void {
    if (!digests) return;
    this.#open.delete(cursor);
    this.#open.set(cursor, digests);
    const [oldest] = this.#open.keys();
    if (this.#open.size > OPEN_MAX && oldest !== undefined) this.#open.delete(oldest);
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
    const { assay } = this.#options;
    const server = this.#options.server.value;
    const seen = (await this.#seen) ?? this.#first;
    const names = [...change.names];
    const args = {
      added: names.filter((name) => !(name in seen)),
      changed: names.filter((name) => name in seen),
      removed: change.removed ?? [],
      digest: await hashJson(change.next),
    };
    const key = createHash('sha256').update(JSON.stringify([server, seen, change.next]));
    const action = await shortenAction({ server, tool: CHANGE_TOOL, arguments: args });
    const body = {
      inputContext: { prompt: `The MCP server ${server} lists other tools than before` },
      outputDecision: { action },
    };
    try {
      const created = await assay.decisions.create(body, key.digest('hex'));
      const { traceId, status, binding } = created as JsonObject & Proposal;
      await assertBound({ traceId, binding }, await hashJson(action));
      if (status === 'approved') return await this.#adopt(change.next);
      this.#pending = { ...change, traceId };
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

/** Adds tools to what earlier pages named. A name that stands twice has a digest of both. */
async function hashTools(tools: readonly JsonObject[], before: ToolDigests): Promise<ToolDigests> {
  const digests = new Map(Object.entries(before));
  for (const tool of tools) {
    const name = String(tool.name);
    const digest = await hashTool(tool);
    const other = digests.get(name);
    digests.set(name, other === undefined ? digest : await hashText(other + digest));
  }
  return Object.fromEntries([...digests].sort(([a], [b]) => (a < b ? -1 : 1)));
}
