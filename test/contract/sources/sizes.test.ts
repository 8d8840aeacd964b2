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

test.for(sources)('%s', (file) => {
  expect(readSource(file).trimEnd().split('\n').length).toBeLessThanOrEqual(FILE_LINES);
  const faults: string[] = [];
  visitAll(file, (node) => {
    if (!ts.isFunctionLike(node) || !('body' in node) || !node.body) return;
    const name = readName(node);
    const isFactory = FACTORY.test(name) && ts.isFunctionDeclaration(node);
    const [lines, tokens] = [countLines(node.getText()), countTokens(node, parseTree(file))];
    if (isFactory && lines > FACTORY_LINES) faults.push(`${name}: ${lines} lines`);
    if (!isFactory && tokens > FUNCTION_TOKENS) faults.push(`${name}: ${tokens} tokens`);
    const parameters = isExported(node) ? PARAMETERS : PRIVATE_PARAMETERS;
    if (node.parameters.length > parameters && !FOUR_PARAMETERS.has(`${file} ${name}`))
      faults.push(`${name}: ${node.parameters.length} parameters`);
  });
  expect(faults).toEqual([]);
});
