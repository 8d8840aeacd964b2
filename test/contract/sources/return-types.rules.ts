// Every public method of a service factory declares its return type.
import ts from 'typescript';
import { expect, test } from 'vitest';
import { sources, parseTree } from './sources.ts';

type Fn = ts.FunctionDeclaration | ts.MethodDeclaration | ts.ArrowFunction | ts.FunctionExpression;
const isFunction = (node: ts.Node | undefined): node is Fn =>
  node !== undefined &&
  (ts.isFunctionDeclaration(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isArrowFunction(node) ||
    ts.isFunctionExpression(node));

/** Finds the function that a name in the body of a factory refers to. */
function findLocalFunction(body: ts.Block, name: string): Fn | undefined {
  for (const statement of body.statements) {
    if (ts.isFunctionDeclaration(statement) && statement.name?.text === name) return statement;
    if (!ts.isVariableStatement(statement)) continue;
    const found = statement.declarationList.declarations.find(
      (each) => each.name.getText() === name,
    );
    if (found) return isFunction(found.initializer) ? found.initializer : undefined;
  }
  return undefined;
}

/** Lists the functions that a factory returns, by name. */
function listPublicFunctions(body: ts.Block): [string, Fn][] {
  const returned = body.statements.filter(ts.isReturnStatement).at(-1)?.expression;
  if (!returned || !ts.isObjectLiteralExpression(returned)) return [];
  return returned.properties.flatMap((member): [string, Fn][] => {
    const name = member.name?.getText() ?? '';
    if (isFunction(member)) return [[name, member]];
    if (ts.isShorthandPropertyAssignment(member)) {
      const fn = findLocalFunction(body, name);
      return fn ? [[name, fn]] : [];
    }
    return ts.isPropertyAssignment(member) && isFunction(member.initializer)
      ? [[name, member.initializer]]
      : [];
  });
}

const isFactory = (node: ts.Statement): node is ts.FunctionDeclaration & { body: ts.Block } =>
  ts.isFunctionDeclaration(node) &&
  node.body !== undefined &&
  /^create[A-Z]/.test(node.name?.text ?? '');

const services = sources.filter((file) => file.endsWith('.service.ts'));

test('every public method of a service has a return type', () => {
  const found = services.flatMap((file) =>
    parseTree(file)
      .statements.filter(isFactory)
      .flatMap(({ body }) => listPublicFunctions(body))
      .flatMap(([name, fn]) => (fn.type ? [] : [`${file}: ${name}`])),
  );
  expect(found).toEqual([]);
});
