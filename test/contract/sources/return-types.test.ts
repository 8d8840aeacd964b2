// Every public method of a service factory declares its return type.
import ts from 'typescript';
import { expect, test } from 'vitest';
import { sources, treeOf } from './sources.ts';

type Fn = ts.FunctionDeclaration | ts.MethodDeclaration | ts.ArrowFunction | ts.FunctionExpression;
const isFn = (node: ts.Node | undefined): node is Fn =>
  node !== undefined &&
  (ts.isFunctionDeclaration(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isArrowFunction(node) ||
    ts.isFunctionExpression(node));

/** Finds the function that a name in the body of a factory refers to. */
function localFunction(body: ts.Block, name: string): Fn | undefined {
  for (const statement of body.statements) {
    if (ts.isFunctionDeclaration(statement) && statement.name?.text === name) return statement;
    if (!ts.isVariableStatement(statement)) continue;
    const found = statement.declarationList.declarations.find(
      (each) => each.name.getText() === name,
    );
    if (found) return isFn(found.initializer) ? found.initializer : undefined;
  }
  return undefined;
}

/** Lists the functions that a factory returns, by name. */
function publicFunctions(body: ts.Block): [string, Fn][] {
  const returned = body.statements.filter(ts.isReturnStatement).at(-1)?.expression;
  if (!returned || !ts.isObjectLiteralExpression(returned)) return [];
  return returned.properties.flatMap((member): [string, Fn][] => {
    const name = member.name?.getText() ?? '';
    if (isFn(member)) return [[name, member]];
    if (ts.isShorthandPropertyAssignment(member)) {
      const fn = localFunction(body, name);
      return fn ? [[name, fn]] : [];
    }
    return ts.isPropertyAssignment(member) && isFn(member.initializer)
      ? [[name, member.initializer]]
      : [];
  });
}

const services = sources.filter((file) => file.endsWith('.service.ts'));

test.for(services)('%s', (file) => {
  const factories = treeOf(file).statements.filter(
    (node): node is ts.FunctionDeclaration & { body: ts.Block } =>
      ts.isFunctionDeclaration(node) &&
      node.body !== undefined &&
      /^create[A-Z]/.test(node.name?.text ?? ''),
  );
  const unnamed = factories.flatMap(({ body }) =>
    publicFunctions(body).flatMap(([name, fn]) => (fn.type ? [] : [name])),
  );
  expect(unnamed).toEqual([]);
});
