// The project's own files, and the syntax trees of the TypeScript among them.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '../../..');
const FOREIGN = /^(\.git|node_modules|dist|data|coverage)$|\.log$|^\.env$/;

function walkFolder(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (folder === '' && FOREIGN.test(entry.name)) return [];
    if (entry.isDirectory()) return walkFolder(path);
    return entry.isFile() ? [path] : [];
  });
}

function listTracked(): string[] {
  const listed = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' });
  return listed.split('\0').filter((file) => file !== '' && existsSync(join(ROOT, file)));
}

/** Paths of every file that belongs to the project, from its root: what is tracked, or all there is without a repository. */
export const files: readonly string[] = (
  existsSync(join(ROOT, '.git')) ? listTracked() : walkFolder('')
).sort();

const texts = new Map<string, string>();
export function readSource(file: string): string {
  let text = texts.get(file);
  if (text === undefined) texts.set(file, (text = readFileSync(join(ROOT, file), 'utf8')));
  return text;
}

const trees = new Map<string, ts.SourceFile>();
export function parseTree(file: string): ts.SourceFile {
  let tree = trees.get(file);
  if (!tree)
    trees.set(
      file,
      (tree = ts.createSourceFile(file, readSource(file), ts.ScriptTarget.ES2023, true)),
    );
  return tree;
}

/** A module that a file imports or exports from, by the name in its text. */
export interface NamedModule {
  name: string;
  node: ts.ImportDeclaration | ts.ExportDeclaration;
}

export const listModules = (file: string): NamedModule[] =>
  parseTree(file).statements.flatMap((node) => {
    if (!ts.isImportDeclaration(node) && !ts.isExportDeclaration(node)) return [];
    const { moduleSpecifier } = node;
    if (!moduleSpecifier || !ts.isStringLiteral(moduleSpecifier)) return [];
    return [{ name: moduleSpecifier.text, node }];
  });
/** Words that no one says at work. */
export const UNUSUAL_WORDS =
  /\b(told|whoever|whomever|somebody|someone|nobody|anew|meanwhile|so many|so long|thereby|wherefrom|hitherto)\b/i;

/** Files of the engines, which are compiled into what imports them. SDKs and command line have builds of their own. */
export const ofEngines: readonly string[] = files.filter((file) =>
  /^packages\/(?!cli\/|sdk-)/.test(file),
);

/** TypeScript below `src/`, and the sources of the engines. */
export const sources: readonly string[] = [
  ...files.filter((file) => /^src\/.*\.ts$/.test(file)),
  ...ofEngines.filter((file) => /^packages\/[^/]+\/src\/.*\.ts$/.test(file)),
].sort();

/** The engine of a file, such as `saml`; undefined: it is of none. */
export const toEngine = (path: string): string | undefined =>
  /^packages\/(?!cli\/|sdk-)([^/]+)\//.exec(path)?.[1];

/** TypeScript of the console. */
export const consoleSources: readonly string[] = files.filter((file) =>
  /^console\/src\/.*\.tsx?$/.test(file),
);

const nodesOf = new Map<string, readonly ts.Node[]>();

/** Every node of a file, each before those in it. */
function listNodes(file: string): readonly ts.Node[] {
  const known = nodesOf.get(file);
  if (known) return known;
  const nodes: ts.Node[] = [];
  const add = (node: ts.Node): void => {
    nodes.push(node);
    node.forEachChild(add);
  };
  add(parseTree(file));
  nodesOf.set(file, nodes);
  return nodes;
}

/** Calls `visit` for every node of a file. */
export function visitAll(file: string, visit: (node: ts.Node) => void): void {
  for (const node of listNodes(file)) visit(node);
}

interface MethodCall {
  receiver: string;
  method: string;
}

const callsOf = new Map<string, readonly MethodCall[]>();

/** Every call in a file of the form `receiver.method(...)`. */
export function listCalls(file: string): readonly MethodCall[] {
  const known = callsOf.get(file);
  if (known) return known;
  const calls: MethodCall[] = [];
  visitAll(file, (node) => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression))
      calls.push({
        receiver: node.expression.expression.getText().replace(/\s+/g, ''),
        method: node.expression.name.text,
      });
  });
  callsOf.set(file, calls);
  return calls;
}

/** Folders of `src/` that hold the resources; those of a wing are its rooms, but for policies, which are one. */
export const WINGS = ['identity', 'decisions', 'policies', 'evidence', 'governance', 'events'];
const ROOM = new RegExp(`^src/(policies|(?:${WINGS.join('|')})/[^/]+)/`);

/** The room of a source file, such as `identity/auth`; undefined: it lies in no wing. */
export const toRoom = (path: string): string | undefined => ROOM.exec(path)?.[1];
