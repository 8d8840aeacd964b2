// Every public function of a service declares its return type: of its file, or a method of its factory.
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

const isPublicFunction = (node: ts.Statement): node is ts.FunctionDeclaration =>
  ts.isFunctionDeclaration(node) &&
  !isFactory(node) &&
  node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;

const services = sources.filter((file) => file.endsWith('.service.ts'));

test('every public function of a service has a return type', () => {
  const found = services.flatMap((file) => {
    const { statements } = parseTree(file);
    const methods = statements.filter(isFactory).flatMap(({ body }) => listPublicFunctions(body));
    const functions = statements
      .filter(isPublicFunction)
      .map((fn): [string, Fn] => [fn.name?.text ?? '', fn]);
    return [...methods, ...functions].flatMap(([name, fn]) =>
      fn.type ? [] : [`${file}: ${name}`],
    );
  });
  expect(found).toEqual([]);
});
