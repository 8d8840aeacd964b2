// Lists the small changes of a file that a test has to notice; they come from its syntax tree, so that each compiles.
import ts from 'typescript';

export interface Mutation {
  /** Offsets of the text that is replaced. */
  start: number;
  end: number;
  replacement: string;
  /** Line number, from 1. */
  line: number;
}

const OPERATORS = new Map<ts.SyntaxKind, string>([
  [ts.SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, '==='],
  [ts.SyntaxKind.LessThanToken, '<='],
  [ts.SyntaxKind.LessThanEqualsToken, '<'],
  [ts.SyntaxKind.GreaterThanToken, '>='],
  [ts.SyntaxKind.GreaterThanEqualsToken, '>'],
  [ts.SyntaxKind.AmpersandAmpersandToken, '||'],
  [ts.SyntaxKind.BarBarToken, '&&'],
  [ts.SyntaxKind.PlusToken, '-'],
  [ts.SyntaxKind.MinusToken, '+'],
  [ts.SyntaxKind.AsteriskToken, '/'],
  [ts.SyntaxKind.PlusEqualsToken, '-='],
]);
const METHODS = new Map([
  ['some', 'every'],
  ['every', 'some'],
  ['min', 'max'],
  ['max', 'min'],
]);
/** Log calls are not mutated. */
const LOG_CALL = /^(?:log|logger)\.\w+\(/;

/** All mutations of a file, in the order of its text. */
export function findMutations(file: string, text: string): Mutation[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true);
  const found: Mutation[] = [];
  visit(source, (node, replacement) => {
    const start = node.getStart(source);
    const line = source.getLineAndCharacterOfPosition(start).line + 1;
    found.push({ start, end: node.getEnd(), replacement, line });
  });
  return found;
}

type Note = (node: ts.Node, replacement: string) => void;

function visit(node: ts.Node, note: Note): void {
  if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isImportDeclaration(node))
    return;
  if (ts.isCallExpression(node) && LOG_CALL.test(node.getText())) return;
  createExpressionMutations(node, note);
  createStatementMutations(node, note);
  ts.forEachChild(node, (child) => visit(child, note));
}

function createExpressionMutations(node: ts.Node, note: Note): void {
  if (ts.isBinaryExpression(node)) {
    const operator = OPERATORS.get(node.operatorToken.kind);
    if (operator !== undefined) note(node.operatorToken, operator);
  } else if (ts.isPrefixUnaryExpression(node)) {
    if (node.operator === ts.SyntaxKind.ExclamationToken) note(node, node.operand.getText());
  } else if (ts.isAwaitExpression(node)) note(node, node.expression.getText());
  else if (ts.isConditionalExpression(node)) swapBranches(node, note);
  else if (ts.isNumericLiteral(node)) {
    if (!isIndexKey(node)) note(node, String(Number(node.text) + 1));
  } else if (node.kind === ts.SyntaxKind.TrueKeyword) note(node, 'false');
  else if (node.kind === ts.SyntaxKind.FalseKeyword) note(node, 'true');
  else if (ts.isPropertyAccessExpression(node)) {
    const method = METHODS.get(node.name.text);
    if (method !== undefined && ts.isCallExpression(node.parent)) note(node.name, method);
  } else if (ts.isObjectLiteralExpression(node)) dropProperties(node, note);
}

function createStatementMutations(node: ts.Node, note: Note): void {
  if (ts.isIfStatement(node)) {
    note(node.expression, 'true');
    note(node.expression, 'false');
  } else if (ts.isBreakStatement(node) || ts.isContinueStatement(node) || ts.isThrowStatement(node))
    note(node, ';');
  else if (ts.isExpressionStatement(node) && !ts.isStringLiteral(node.expression)) note(node, ';');
}

function swapBranches(node: ts.ConditionalExpression, note: Note): void {
  const { condition, whenTrue, whenFalse } = node;
  note(node, `${condition.getText()} ? ${whenFalse.getText()} : ${whenTrue.getText()}`);
}

/** Leaves each member out of a literal: a filter that finds too much, an answer that says too little. */
function dropProperties(node: ts.ObjectLiteralExpression, note: Note): void {
  if (node.properties.length < 2) return;
  for (const dropped of node.properties) {
    const kept = node.properties.filter((property) => property !== dropped);
    note(node, `{ ${kept.map((property) => property.getText()).join(', ')} }`);
  }
}

/** Whether a number is the direction of an index key: any positive number means the same. */
function isIndexKey({ parent: property }: ts.NumericLiteral): boolean {
  const keys = property.parent;
  const call = keys.parent;
  return (
    ts.isPropertyAssignment(property) &&
    ts.isCallExpression(call) &&
    call.expression.getText().endsWith('Schema.index') &&
    call.arguments[0] === keys
  );
}
