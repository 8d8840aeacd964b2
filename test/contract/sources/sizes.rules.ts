// The ceilings of sizes, in tokens as well as lines; a factory is measured by the functions in it.
import ts from 'typescript';
import { expect, test } from 'vitest';
import { sources, readSource, parseTree, visitAll } from './sources.ts';

const FILE_LINES = 400;
const FUNCTION_TOKENS = 250;
const FACTORY_LINES = 150;
const PARAMETERS = 3;
const PRIVATE_PARAMETERS = 4;
/** Express tells an error handler by its four parameters. */
const FOUR_PARAMETERS = new Set(['src/app.ts handleError']);

/** Functions of the verifier that are larger; the list gets shorter, and no other file may join it. */
const STILL_LARGE = new Set([
  'packages/verifier/src/disclosures.ts matchDisclosures',
  'packages/verifier/src/log/certificate-path.ts findPathFault',
  'packages/verifier/src/log/destruction-check.ts readClaim',
  'packages/verifier/src/log/heads-check.ts readLeaves',
  'packages/verifier/src/log/policy.ts readPolicy',
  'packages/verifier/src/log/promise-check.ts readPromised',
  'packages/verifier/src/main.ts describe',
  'packages/verifier/src/main.ts readCommand',
  'packages/verifier/src/verify.ts takeView',
]);

/** The scope of what it returns, as a class body is. `startInstance` makes an instance. */
const FACTORY = /^(create[A-Z]|startInstance$)/;

function readName(node: ts.Node): string {
  if ((ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) && node.name)
    return node.name.getText();
  const { parent } = node;
  if (ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent))
    return parent.name.getText();
  for (let outer: ts.Node = parent; !ts.isSourceFile(outer); outer = outer.parent)
    if (ts.isFunctionDeclaration(outer)) return outer.name?.text ?? '';
  return '';
}

/** Lines with code on them. */
const countLines = (text: string): number =>
  text.split('\n').filter((line) => line.trim() !== '' && !/^\s*(\/\/|\/?\*)/.test(line)).length;

/** Leaves of the syntax tree: names, literals, punctuation. */
function countTokens(node: ts.Node, tree: ts.SourceFile): number {
  const children = node.getChildren(tree).filter((child) => !ts.isJSDoc(child));
  if (children.length === 0) return node.getWidth(tree) > 0 ? 1 : 0;
  return children.reduce((sum, child) => sum + countTokens(child, tree), 0);
}

const isExported = (node: ts.Node): boolean =>
  (ts.getCombinedModifierFlags(node as ts.Declaration) & ts.ModifierFlags.Export) !== 0;

/** What is too large in a function. */
function measureFunction(
  node: ts.SignatureDeclaration,
  tree: ts.SourceFile,
): [name: string, faults: string[]] {
  const name = readName(node);
  const isFactory = FACTORY.test(name) && ts.isFunctionDeclaration(node);
  const [lines, tokens] = [countLines(node.getText()), countTokens(node, tree)];
  const faults: string[] = [];
  if (isFactory && lines > FACTORY_LINES) faults.push(`${lines} lines`);
  const mayBeLarge = STILL_LARGE.has(`${tree.fileName} ${name}`);
  if (!isFactory && !mayBeLarge && tokens > FUNCTION_TOKENS) faults.push(`${tokens} tokens`);
  const parameters = isExported(node) ? PARAMETERS : PRIVATE_PARAMETERS;
  const mayHaveMore = FOUR_PARAMETERS.has(`${tree.fileName} ${name}`);
  if (node.parameters.length > parameters && !mayHaveMore)
    faults.push(`${node.parameters.length} parameters`);
  return [name, faults];
}

test('no file has more than 400 lines', () => {
  const isLong = (file: string): boolean =>
    readSource(file).trimEnd().split('\n').length > FILE_LINES;
  expect(sources.filter(isLong)).toEqual([]);
});

test('no function is larger than one reads at once, or takes more than three parameters', () => {
  const found: string[] = [];
  for (const file of sources)
    visitAll(file, (node) => {
      if (!ts.isFunctionLike(node) || !('body' in node) || !node.body) return;
      const [name, faults] = measureFunction(node, parseTree(file));
      for (const fault of faults) {
        const { line } = parseTree(file).getLineAndCharacterOfPosition(node.getStart());
        found.push(`${file}:${line + 1}: ${name} has ${fault}`);
      }
    });
  expect(found).toEqual([]);
});
