// Conventions that are checked by reading the sources: one place for each delicate thing, and no foreign content.
import ts from 'typescript';
import { expect, test } from 'vitest';
import { rows } from '../../../bench/rows.ts';
import {
  consoleSources,
  files,
  listCalls,
  ofEngines,
  readSource,
  sources,
  toRoom,
  visitAll,
} from './sources.ts';

const code = [
  ...files.filter((file) => /^(src|test|bench|scripts)\//.test(file)),
  ...ofEngines,
].filter((file) => /\.(ts|mjs)$/.test(file));

/** Files among `among` in which some node fits. */
function findFiles(among: readonly string[], fits: (node: ts.Node) => boolean): string[] {
  return among.filter((file) => {
    let found = false;
    visitAll(file, (node) => (found ||= fits(node)));
    return found;
  });
}
const isAccess = (node: ts.Node, text: string): boolean =>
  ts.isPropertyAccessExpression(node) &&
  text.endsWith(`.${node.name.text}`) &&
  node.getText() === text;

test('unions of literals instead of enums, and no literal spread into a literal', () => {
  const isLiteralSpread = (node: ts.Node): boolean =>
    ts.isSpreadAssignment(node) && ts.isObjectLiteralExpression(node.expression);
  const found = findFiles(
    code.filter((file) => file.endsWith('.ts') && /\benum\b|\.\.\.\s*\{/.test(readSource(file))),
    (node) => ts.isEnumDeclaration(node) || isLiteralSpread(node),
  );
  expect(found).toEqual([]);
});

test('an optimisation names a row of the benchmark', () => {
  const named = sources.flatMap((file) =>
    [...readSource(file).matchAll(/\(rows? ([\w/, -]+)\)|; rows? ([\w/, -]+)\)/g)].flatMap(
      ([, one, other]) => (one ?? other ?? '').split(', '),
    ),
  );
  expect(new Set(named).size).toBeGreaterThan(3);
  expect(named.filter((name) => !Object.hasOwn(rows, name))).toEqual([]);
});

test('the environment is read in the configuration only', () => {
  expect(findFiles(sources, (node) => isAccess(node, 'process.env'))).toEqual([
    'src/config/config.ts',
  ]);
});

test('clock and randomness are injected outside the platform', () => {
  const outside = sources.filter(
    (file) => !/^(src\/platform|packages\/embedded-mongod)\//.test(file),
  );
  const impure = findFiles(
    outside,
    (node) =>
      isAccess(node, 'Date.now') ||
      isAccess(node, 'Math.random') ||
      (ts.isIdentifier(node) &&
        ['randomBytes', 'randomUUID', 'randomInt', 'getRandomValues'].includes(node.text)) ||
      (ts.isNewExpression(node) &&
        node.expression.getText() === 'Date' &&
        !node.arguments?.length) ||
      (ts.isCallExpression(node) && node.expression.getText() === 'Date'),
  );
  expect(impure).toEqual([]);
});

test('no signal is joined by `AbortSignal.any`, which forgets a time-out on Node.js 20', () => {
  const ours = files.filter((file) => /^(src|packages|integrations)\/.*\.ts$/.test(file));
  expect(ours.length).toBeGreaterThan(sources.length);
  expect(findFiles(ours, (node) => isAccess(node, 'AbortSignal.any'))).toEqual([]);
});

test('streams that fail by an event are made where every failure is heard', () => {
  const importing = sources.filter((file) =>
    /^import (?!type).* from 'node:stream|createG(un)?zip/m.test(readSource(file)),
  );
  expect(importing).toEqual([
    // It reads streams that others opened.
    'packages/verifier/src/system/files.ts',
    'src/platform/archive/tar-gz.ts',
  ]);
});

test('nothing is written to a temporary folder, where it would outlive a process that is killed', () => {
  expect(findFiles(sources, (node) => ts.isIdentifier(node) && node.text === 'tmpdir')).toEqual([]);
});

test('no resource bypasses the tenancy plugin', () => {
  const resources = sources.filter((file) => toRoom(file) !== undefined);
  const native = findFiles(
    resources,
    (node) =>
      ts.isPropertyAccessExpression(node) &&
      node.name.text === 'collection' &&
      /\bmodels\.\w+$/.test(node.expression.getText()),
  );
  expect(native).toEqual([]);
});

test('only one file defines what null means for an optional member', () => {
  const own = [
    'src/http/declaration/optional.ts',
    'src/config/environment.ts',
    'src/config/environment-log.ts',
    'src/config/environment-erasure.ts',
    'src/config/environment-limits.ts',
  ];
  const found = findFiles(
    sources.filter((file) => !own.includes(file)),
    (node) =>
      ts.isCallExpression(node) &&
      ts.isPropertyAccessExpression(node.expression) &&
      /^(optional|nullish|partial|prefault|default)$/.test(node.expression.name.text),
  );
  expect(found).toEqual([]);
});

test('only one file creates sessions', () => {
  const findCallers = (method: string, receiver: RegExp): string[] =>
    sources.filter((file) =>
      listCalls(file).some((call) => call.method === method && receiver.test(call.receiver)),
    );
  expect(findCallers('sign', /sessionTokens$/)).toEqual([
    'src/identity/auth/sessions/sign-in.service.ts',
  ]);
  expect(findCallers('sign', /^jwt$/)).toEqual(['src/platform/secrets/tokens.ts']);
  expect(findCallers('create', /models\.sessions$/)).toEqual([
    'src/identity/auth/sessions/sign-in.service.ts',
  ]);
  const minting = listCalls('src/identity/auth/sessions/sign-in.service.ts').filter(
    ({ method }) => method === 'sign',
  );
  expect(minting).toHaveLength(1);
});

/** What writes documents of a model. */
const WRITING =
  /^(create|insertMany|save|update(One|Many)|findOneAnd\w+|findByIdAnd\w+|bulk\w+|replaceOne|delete(One|Many))$/;

test('only one file writes memberships', () => {
  const writing = sources.filter((file) => {
    const calls = listCalls(file).some(
      ({ receiver, method }) => receiver.endsWith('models.memberships') && WRITING.test(method),
    );
    return calls || /insertOne\(\s*models\.memberships\b/.test(readSource(file));
  });
  expect(writing).toEqual(['src/identity/organization/memberships/memberships.service.ts']);
});

const CHANGING =
  /^(update(One|Many)|findOneAnd\w+|findByIdAnd\w+|bulk(Write|Save)|replaceOne|delete(One|Many)|drop)$/;
const INSERTING = /^(insert(One|Many)|create|save)$/;

test('only one file updates the chains', () => {
  const changing = sources.flatMap((file) =>
    listCalls(file)
      .filter(({ method }) => CHANGING.test(method))
      .map(({ receiver }) => `${file}: ${receiver}`),
  );
  const chains = changing.filter((site) => /models\s*\.(ledger|traces|auditEntries)\b/.test(site));
  expect(chains).toEqual([]);
  // Below src/ledger/ a chain is a bare collection: only these change one, and only that of the entry updates is a chain.
  expect([...new Set(changing.filter((site) => site.startsWith('src/ledger/')))].sort()).toEqual([
    'src/ledger/amend/fold.ts: deadLetters',
    'src/ledger/entry-updates.ts: attestations',
    'src/ledger/entry-updates.ts: auditEntries',
    'src/ledger/entry-updates.ts: collection',
    'src/ledger/follow/consumer.ts: cursors.collection',
    'src/ledger/follow/cursor-check.ts: this.#deps.cursors',
    'src/ledger/follow/cursor-check.ts: this.#starts()',
    'src/ledger/follow/segment-index.ts: this.#model',
    'src/ledger/heads/lost-heads.ts: aside',
    'src/ledger/heads/lost-heads.ts: notes',
    'src/ledger/heads/thin-heads.ts: collection',
    'src/ledger/maintenance.ts: progress',
  ]);
});

test('only one file inserts into the chains', () => {
  const inserting = sources.flatMap((file) =>
    listCalls(file)
      .filter(({ method }) => INSERTING.test(method))
      .map(({ receiver }) => `${file}: ${receiver}`),
  );
  expect(
    inserting.filter((site) => /models\s*\.(ledger|traces|auditEntries)\b/.test(site)),
  ).toEqual([]);
  const native = inserting.filter(
    (site) => site.startsWith('src/ledger/') && !site.endsWith(': Object'),
  );
  expect([...new Set(native)].sort()).toEqual([
    'src/ledger/follow/consumer.ts: deps.deadLetters.collection',
    'src/ledger/follow/consumers.ts: cursors',
    'src/ledger/heads/heads.ts: collection',
  ]);
  const commands = findFiles(
    sources,
    (node) =>
      ts.isObjectLiteralExpression(node) &&
      node.properties.some((member) =>
        /^(insert|update|delete|findAndModify)$/.test(member.name?.getText() ?? ''),
      ) &&
      node.properties.some((member) => member.name?.getText() === 'writeConcern'),
  );
  expect(commands).toEqual(['src/ledger/append/mongo-store.ts']);
});

/** Who may look across organisations, and why. */
const CROSS_TENANT: Readonly<Record<string, string>> = {
  'src/platform/outbox/claims.ts': 'workers send the rows of everybody',
  'src/events/alerts/measured-alerts.service.ts': 'a job measures the rules of every organisation',
  'src/identity/audit/audit.migration.ts': 'rows of earlier versions, in every organisation',
  'src/identity/audit/audit.service.ts':
    'the sweep seals what a crash left behind, in every organisation',
  'src/identity/agents/trusts/run-tokens.service.ts':
    'a run token says which organisation it belongs to',
  'src/identity/agents/trusts/workloads.service.ts':
    'an exchange names an agent, which says which organisation it belongs to',
  'src/identity/auth/keys/key-authentication.service.ts':
    'a key says which organisation it belongs to',
  'src/evidence/erasure/destruction/destructions.service.ts':
    'the end of an epoch reaches the erasures of every organisation',
  'src/evidence/erasure/erasure-execution.service.ts':
    'erasures that a crash left half done are finished, in every organisation',
  'src/governance/compliance/reports/schedule.service.ts': 'reports are due in every organisation',
  'src/governance/incidents/calendar/calendar-feeds.service.ts':
    'the token of a feed is all that a request brings',
  'src/governance/incidents/clock-breaches.service.ts': 'deadlines pass in every organisation',
  'src/governance/incidents/clock-reminders.service.ts':
    'deadlines come near in every organisation',
  'src/events/notifications/notices/notice-digests.service.ts': 'windows end in every organisation',
  'src/decisions/traces/review/links/review-links.service.ts':
    'the token of a link is all that a request brings',
  'src/decisions/traces/review/notices/review-reminders.service.ts':
    'deadlines come near in every organisation',
  'src/decisions/traces/executions/effects.service.ts':
    'what a crash left behind is settled, in every organisation',
  'src/decisions/traces/executions/execution-leases.service.ts': 'leases end in every organisation',
  'src/decisions/traces/review/review-expiry.service.ts': 'holds end in every organisation',
  'src/evidence/log/logs.service.ts': 'the id of a log is all that a request brings',
  'src/evidence/log/release/log-release.service.ts':
    'a database that was set back concerns the logs of every organisation',
  'src/identity/organization/deletion/organization-deletion.service.ts':
    'deleted organisations wait for their erasure',
  'src/identity/organization/deletion/organization-end.service.ts': 'who belongs nowhere else',
  'src/decisions/cpi/verdicts.migration.ts': 'counts of earlier versions, in every organisation',
  'src/identity/organization/memberships/memberships.migration.ts':
    'memberships of earlier versions, in every organisation',
  'src/identity/organization/memberships/memberships.service.ts':
    'the organisations of a user; a proof of the mailbox opens the memberships that wait for it, wherever',
  'src/identity/organization/sso-settings/saml-names.migration.ts':
    'memberships of earlier versions, in every organisation',
  'src/identity/sign-on/provider-names.migration.ts':
    'memberships of earlier versions, in every organisation',
  'src/identity/organization/sso-domains/sso-domains.service.ts':
    'a domain is proved by one organisation at a time',
  'src/identity/organization/sso-domains/verified-domains.service.ts':
    'which organisation has verified the domain of an address',
  'src/governance/grants/grant-endings.service.ts': 'grants of everybody end by one job',
  'src/policies/replay/replay-runner.service.ts': 'replays of everybody wait for the worker',
  'src/identity/scim/tokens/scim-tokens.service.ts': 'a SCIM token is all that a request brings',
  'src/identity/auth/credentials/passkey-sign-in.service.ts':
    'the id of a passkey is all that a sign-in brings',
  'src/identity/team/acceptance.service.ts':
    'the token of an invitation is all that a request brings',
  'src/decisions/traces/search/word-segments.migration.ts':
    'cursors of an earlier consumer, in every organisation',
};

test('looking across organisations happens where it is allowed', () => {
  const sites = findFiles(
    sources.filter((file) => file !== 'src/platform/mongo/tenancy.ts'),
    (node) => ts.isPropertyAssignment(node) && node.name.getText() === 'crossTenant',
  );
  expect(sites).toEqual(Object.keys(CROSS_TENANT).sort());
});

test('native collections are reached in the ledger, in the platform and by an instance', () => {
  const native = sources.filter((file) =>
    listCalls(file).some(
      ({ method, receiver }) => method === 'collection' && !/logger|log$/.test(receiver),
    ),
  );
  expect(
    native.filter(
      (file) =>
        !/^(src\/(ledger|platform)|packages\/embedded-mongod)\/|^src\/instance\.ts$/.test(file),
    ),
  ).toEqual([]);
});

test('every test file expects something, and none is switched off', () => {
  const tests = files.filter((file) => file.endsWith('.test.ts'));
  expect(tests.filter((file) => !/\bexpect\b|fc\.assert\(/.test(readSource(file)))).toEqual([]);
  const marks = tests.filter(
    (file) =>
      /\b(only|skip|todo)\b/.test(readSource(file)) &&
      listCalls(file).some(
        ({ receiver, method }) =>
          /^(test|it|describe)\b/.test(receiver) && /^(only|skip|todo)$/.test(method),
      ),
  );
  expect(marks).toEqual([]);
});

test('the first line of every file says what it is for', () => {
  expect(
    [...code, ...consoleSources].filter(
      (file) => !/^\/\/ \S.+[.)]$/.test(readSource(file).split('\n', 1)[0] ?? ''),
    ),
  ).toEqual([]);
});

test('named exports only, no enums, no catch-all files', () => {
  const defaults = findFiles(
    sources,
    (node) =>
      ts.isExportAssignment(node) ||
      ts.isEnumDeclaration(node) ||
      node.kind === ts.SyntaxKind.AnyKeyword,
  );
  expect(defaults).toEqual([]);
  // What a package offers stands in its index.
  const isIndex = (file: string): boolean => /^packages\/[^/]+\/src\/index\.ts$/.test(file);
  expect(
    code.filter(
      (file) => /(^|\/)(utils?|helpers?|common|index|misc)\.(ts|mjs)$/.test(file) && !isIndex(file),
    ),
  ).toEqual([]);
  expect(code.filter((file) => /[A-Z_]/.test(file.split('/').at(-1) ?? ''))).toEqual([]);
});

test('a long test is tagged, so that it is run', () => {
  const tests = code.filter((file) => /^(test\/(?!faults\/)|packages\/).*\.test\.ts$/.test(file));
  const isTagged = (file: string, tag: string): boolean =>
    readSource(file).split('\n', 2)[1] === `// @module-tag ${tag}`;
  const isLong = (file: string): boolean => file.endsWith('.long.test.ts');
  expect(tests.filter(isLong)).toEqual(tests.filter((file) => isTagged(file, 'long')));
  const varied = tests.filter((file) =>
    /^import .*\/(setup\/runs|try-faults)\.ts';$/m.test(readSource(file)),
  );
  expect(varied.filter((file) => !isLong(file))).toEqual(
    tests.filter((file) => isTagged(file, 'varied') || readSource(file).includes("['varied']")),
  );
});

test('an environment of Python is installed in one place', () => {
  const installed = code.flatMap((file) =>
    [...readSource(file).matchAll(/createEnvironment\(\s*('[\w-]+'|[A-Z_]+),/g)].map(
      ([, name]) => name,
    ),
  );
  expect(installed.length).toBeGreaterThan(2);
  expect(installed).toEqual([...new Set(installed)]);
});

/** Hosts a committed file may name: examples, the loopback, standards, the social logins, and where a mongod is officially found. */
const HOSTS =
  /^(localhost|127\.0\.0\.1|\[?::1\]?|[\w.-]*\bexample(\.(com|org|net))?|[\w.-]+\.(test|invalid)|fastdl\.mongodb\.org|pypi\.org|accounts\.google\.com|(api\.)?github\.com|login\.microsoftonline\.com|www\.rfc-editor\.org|json-schema\.org|schemas\.(microsoft\.com|openid\.net|xmlsoap\.org)|www\.w3\.org|in-toto\.io|slsa\.dev|[a-z])$/;

test('no file contains a path of a developer’s machine or a foreign host', () => {
  const texts = files.filter(
    (file) => !/\.(gz|png|ico|woff2?)$|(^|\/)package-lock\.json$/.test(file),
  );
  const machine = new RegExp(
    ['home', 'root', 'work', 'Users', 'tmp'].map((name) => `[\\s'"\`(=]/${name}/\\w`).join('|'),
  );
  expect(texts.filter((file) => machine.test(readSource(file)))).toEqual([]);
  const foreign = texts.flatMap((file) =>
    [...readSource(file).matchAll(/https?:\/\/([^\s/:'"`$)>\\?#]+)/g)]
      .map(([, host]) => host ?? '')
      .filter((host) => !HOSTS.test(host))
      .map((host) => `${file}: ${host}`),
  );
  expect(foreign).toEqual([]);
  for (const lock of ['package-lock.json', 'integrations/package-lock.json'])
    expect(readSource(lock)).not.toMatch(/"resolved": "(?!packages\/|console)/);
});
