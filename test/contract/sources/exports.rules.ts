// One name, one thing: no two files export the same name. The verifier, written a second time on purpose, has names of its own.
import ts from 'typescript';
import { expect, test } from 'vitest';
import { parseTree, sources, toEngine } from './sources.ts';

const isExported = (node: ts.Statement): boolean =>
  ts.canHaveModifiers(node) &&
  (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);

/** Lists the names that a file declares and exports, without re-exports. */
function listExports(file: string): string[] {
  return parseTree(file)
    .statements.filter(isExported)
    .flatMap((node) => {
      if (ts.isVariableStatement(node))
        return node.declarationList.declarations.map(({ name }) => name.getText());
      const { name } = node as ts.DeclarationStatement;
      return name ? [name.getText()] : [];
    });
}

test('no two files export the same name', () => {
  const files = new Map<string, Set<string>>();
  for (const file of sources.filter((one) => toEngine(one) !== 'verifier'))
    for (const name of listExports(file)) files.set(name, (files.get(name) ?? new Set()).add(file));
  const twice = [...files].filter(([, among]) => among.size > 1);
  expect(twice.map(([name, among]) => `${name}: ${[...among].join(', ')}`)).toEqual([]);
});
