// Each collection has a door: other resources read it by a service of its own, unless a reason is listed here.
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { readSource, sources, toRoom, visitAll } from './sources.ts';

/** Models that a file of another resource uses, and why. The number falls; a new one needs a reason that holds. */
const FOREIGN_MAX = 45;
const FOREIGN: Readonly<Record<string, readonly [models: string, reason: string]>> = {
  'identity/agents/activity/agent-activity.consumer.ts': [
    'traces',
    'walks decisions as the ledger grows',
  ],
  'events/alerts/alert-verdicts.consumer.ts': [
    'reviewLinks',
    'joins in the transaction of the consumer',
  ],
  'identity/auth/keys/key-authentication.service.ts': [
    'agents',
    'the digest of a key is all there is',
  ],
  'identity/auth/keys/keys.service.ts': [
    'agents',
    'counts the agents of a scope in the same transaction',
  ],
  'identity/auth/reclaim/reclaim.mails.ts': ['organizations', 'names the organisations of a mail'],
  'identity/auth/reclaim/reclaim.service.ts': [
    'agentTrusts agents alertRules calendarFeeds invitations organizations scimTokens webhooks',
    'ends every way in and out in one transaction',
  ],
  'identity/auth/sessions/recorded-session.ts': [
    'memberships',
    'every request needs session, user and membership, in one query',
  ],
  'evidence/erasure/destruction/copies.service.ts': [
    'auditBundles traceVectors',
    'counts the copies that are left of erased values',
  ],
  'evidence/hash-chain/bundles.service.ts': ['auditEntries', 'bundles both chains in the same way'],
  'decisions/cpi/compliance-report.service.ts': ['traces', 'counts reviews by their states'],
  'decisions/cpi/cpi-analytics.service.ts': ['traces', 'counts decisions by a pipeline of its own'],
  'decisions/cpi/cpi.consumer.ts': ['traces', 'walks decisions as the ledger grows'],
  'evidence/log/signing/grown-chains.ts': [
    'organizations',
    'walks all organisations by its own cursor',
  ],
  'evidence/log/signing/leaves.ts': ['auditEntries', 'reads both chains in the same way'],
  'governance/mcp-server/bridge.service.ts': ['policies', 'streams policies up to a size'],
  'identity/organization/deletion/organization-deletion.service.ts': [
    'traces',
    'walks what is left of an organisation',
  ],
  'identity/organization/deletion/organization-end.service.ts': [
    'agents invitations scimTokens sessions users workspaceKeys',
    'ends every way into an organisation in one transaction',
  ],
  'identity/organization/memberships/memberships.service.ts': [
    'sessions users',
    'a membership ends with its sessions, and releases its account, in one transaction',
  ],
  'policies/canary/canary.consumer.ts': ['traces', 'walks decisions as the ledger grows'],
  'policies/effectiveness/judged-sample.service.ts': ['traces', 'samples decisions'],
  'policies/replay/replay-judge.service.ts': ['traces', 'walks decisions, newest first'],
  'policies/replay/replay-runner.service.ts': ['traces', 'counts what a replay has still to walk'],
  'governance/privacy-budget/noised-query.service.ts': [
    'agents traces',
    'sums that leave with noise only, by a pipeline of its own',
  ],
  'identity/scim/users/accounts.service.ts': [
    'memberships users',
    'a directory creates and renames accounts; names are unique within it',
  ],
  'identity/scim/users/people.service.ts': [
    'memberships',
    'a SCIM user is a membership, filtered as one',
  ],
  'identity/sign-on/login/account-linking.service.ts': [
    'memberships users',
    'finds members by their names at a provider, and creates accounts',
  ],
  'identity/sign-on/social/social-accounts.service.ts': [
    'users',
    'links an identity to an account',
  ],
  'decisions/traces/automatic-approval/auto-approvals.ts': [
    'workspaces',
    'reads as the ledger grows',
  ],
};

const MODELS = 'src/models.ts';

/** Finds the resource of each model by the file of its schema. */
function listOwners(): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  const owners = new Map<string, string>();
  const note = (model: string, schema: ts.Node | undefined): void => {
    const room = toRoom(files.get(schema?.getText() ?? '') ?? '');
    if (room !== undefined) owners.set(model, room);
  };
  visitAll(MODELS, (node) => {
    if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
      const bindings = node.importClause?.namedBindings;
      const file = join(dirname(MODELS), node.moduleSpecifier.text);
      if (bindings && ts.isNamedImports(bindings))
        for (const { name } of bindings.elements) files.set(name.text, file);
    }
    if (ts.isPropertyAssignment(node) && ts.isCallExpression(node.initializer))
      note(node.name.getText(), node.initializer.arguments[1]);
  });
  return owners;
}

const owners = listOwners();

/** Whether a binding pattern takes models out of the bag. */
function bindsModels(pattern: ts.ObjectBindingPattern): boolean {
  const { parent } = pattern;
  if (ts.isVariableDeclaration(parent))
    return /\bmodels$/.test(parent.initializer?.getText() ?? '');
  if (ts.isParameter(parent)) return /\bModels\b|\['models'\]/.test(parent.type?.getText() ?? '');
  return ts.isBindingElement(parent) && parent.propertyName?.getText() === 'models';
}

/** The models that a file names, as a member of `models` or taken out of it. */
function listModels(file: string): ReadonlySet<string> {
  const found = new Set<string>();
  visitAll(file, (node) => {
    if (ts.isPropertyAccessExpression(node) && /\bmodels$/.test(node.expression.getText()))
      found.add(node.name.text);
    if (ts.isObjectBindingPattern(node) && bindsModels(node))
      for (const element of node.elements)
        found.add((element.propertyName ?? element.name).getText());
  });
  return found;
}

/** The models of other resources that a file uses, in alphabetical order. */
function listForeign(file: string): string[] {
  const own = toRoom(file);
  return [...listModels(file)]
    .filter((model) => owners.has(model) && owners.get(model) !== own)
    .sort();
}

test('the owners of the models are found', () => {
  expect(owners.get('users')).toBe('identity/auth');
  expect(owners.get('traces')).toBe('decisions/traces');
  expect(owners.get('organizations')).toBe('identity/organization');
  expect(owners.size).toBeGreaterThan(50);
});

test('a resource reads what another one stores by its service, unless a reason is listed', () => {
  const migrations = /\.migration\.ts$/;
  const files = sources.filter(
    (file) =>
      (toRoom(file) !== undefined || file.startsWith('src/composition/')) &&
      !migrations.test(file) &&
      /models/i.test(readSource(file)),
  );
  const found = Object.fromEntries(
    files.flatMap((file) => {
      const foreign = listForeign(file);
      return foreign.length === 0 ? [] : [[file.replace('src/', ''), foreign.join(' ')] as const];
    }),
  );
  expect(found).toEqual(
    Object.fromEntries(Object.entries(FOREIGN).map(([file, [models]]) => [file, models])),
  );
  const uses = Object.values(found).flatMap((models) => models.split(' '));
  expect(uses.length).toBeLessThanOrEqual(FOREIGN_MAX);
});
