// The ceilings: lines of a file, lines of a function, parameters; a factory is measured by the functions in it.
import ts from 'typescript';
import { expect, test } from 'vitest';
import { sources, textOf, visitAll } from './sources.ts';

const FILE_LINES = 350;
const FUNCTION_LINES = 60;
const PARAMETERS = 3;
/** Express tells an error handler by its four parameters. */
const FOUR_PARAMETERS = new Set(['src/app.ts handleError']);

/** The scope of what it returns, as a class body is: not measured itself. `startInstance` makes an instance. */
const FACTORY = /^(create[A-Z]|startInstance$)/;

function nameOf(node: ts.Node): string {
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
const linesOf = (text: string): number =>
  text.split('\n').filter((line) => line.trim() !== '' && !/^\s*(\/\/|\/?\*)/.test(line)).length;

test.for(sources)('%s', (file) => {
  expect(textOf(file).trimEnd().split('\n').length).toBeLessThanOrEqual(FILE_LINES);
  const faults: string[] = [];
  visitAll(file, (node) => {
    if (!ts.isFunctionLike(node) || !('body' in node) || !node.body) return;
    const name = nameOf(node);
    const lines = linesOf(node.getText());
    if (lines > FUNCTION_LINES && !FACTORY.test(name)) faults.push(`${name}: ${lines} lines`);
    if (node.parameters.length > PARAMETERS && !FOUR_PARAMETERS.has(`${file} ${name}`))
      faults.push(`${name}: ${node.parameters.length} parameters`);
  });
  expect(faults).toEqual([]);
});
