// Who may import what: every import of every source file is one that its place in the architecture allows.
import { basename, dirname, join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import {
  files,
  listModules,
  type NamedModule,
  ofEngines,
  sources,
  toEngine,
  toRoom,
  WINGS,
} from './sources.ts';

interface Import {
  /** A path below src/, `own.<kind>` or `other.<kind>` between resources, or a package. */
  what: string;
  typeOnly: boolean;
}

const NODE = /^node:/;
/** What is pure: the service's own rules, and the engines. The verifier shares no code with the service. */
const DOMAIN = /^(domain\/|@assay\/(?!(embedded-mongod|verifier)(\/|$)))/;
const PLATFORM = /^platform\//;
const EMBEDDED = /^@assay\/embedded-mongod$/;
const LEDGER = /^ledger\//;
const WORKERS = /^workers\//;
const HTTP = /^http\//;
const ERRORS = /^errors$/;
const CONCURRENCY = /^platform\/concurrency\//;
const SLOTS = /^platform\/shared\/slots$/;
const INPUTS = /^platform\/inputs\//;
const EVENT_LOOP = /^platform\/concurrency\/event-loop$/;
const ANSWER_REQUESTS = /^platform\/threads\/answer-requests$/;
const CONCERNS = /^platform\/mongo\/concerns$/;
const ZOD = /^zod$/;
const LRU = /^lru-cache$/;
const MONGOOSE = /^mongoose$/;
const OWN = /^own\./;
const matchInWings = (rest: string): RegExp => new RegExp(`^(?:${WINGS.join('|')})/${rest}`);
const matchNodeParts = (...names: string[]): RegExp => new RegExp(`^node:(${names.join('|')})$`);

interface Rule {
  of: RegExp;
  may: RegExp[];
  /** Besides, for types only. */
  types?: RegExp[];
}

/** The first rule that fits a file holds. */
const RULES: readonly Rule[] = [
  { of: /^server$/, may: [/^start-server$/] },
  {
    of: /^start-server$/,
    may: [
      /^instance$/,
      /^config\/(config|project-root)$/,
      PLATFORM,
      EMBEDDED,
      WORKERS,
      NODE,
      /^close-with-grace$/,
    ],
  },
  {
    of: /^instance$/,
    may: [
      /^(app|models|config\/project-root)$/,
      /^composition\//,
      HTTP,
      PLATFORM,
      matchInWings('.*\\.service$'),
      matchNodeParts('path'),
    ],
    types: [/^config\/config$/, LEDGER, NODE, /^prom-client$/],
  },
  {
    of: /^app$/,
    may: [HTTP, ERRORS, /^routes$/, /^express$/],
    types: [/^config\/config$/, PLATFORM],
  },
  {
    of: /^routes$/,
    may: [matchInWings('.*\\.routes$'), /^http\/declaration\/rate-limits$/],
    types: [HTTP],
  },
  {
    of: /^composition\/jobs$/,
    may: [matchInWings('.*\\.(consumer|migration|service)$'), /^platform\/.*\.migration$/, LEDGER],
    types: [/^models$/, PLATFORM],
  },
  {
    of: /^composition\//,
    may: [
      matchInWings('(?!.*\\.(model|schemas|routes)$)'),
      /^composition\//,
      LEDGER,
      DOMAIN,
      PLATFORM,
      matchNodeParts('path'),
    ],
    types: [/^(config\/config|models)$/, MONGOOSE],
  },
  { of: /^models$/, may: [/\.model$/, LEDGER, PLATFORM], types: [MONGOOSE] },
  { of: /^config\/project-root$/, may: [matchNodeParts('fs', 'path')] },
  { of: /^config\/config$/, may: [/^config\/environment$/, NODE] },
  {
    of: /^config\/environment$/,
    may: [
      /^config\/environment-(values|limits|log|erasure)$/,
      /^domain\/identity\/addresses\/email-address$/,
      ZOD,
      NODE,
    ],
  },
  {
    of: /^config\/environment-log$/,
    may: [/^config\/environment-values$/, /^@assay\/tlog$/, matchNodeParts('crypto', 'fs'), ZOD],
  },
  { of: /^config\/environment-erasure$/, may: [/^config\/environment-values$/, ZOD] },
  { of: /^config\/environment-limits$/, may: [/^config\/environment-values$/] },
  { of: /^config\/environment-values$/, may: [ZOD, NODE] },
  { of: /^errors$/, may: [/^@assay\/json$/] },
  // Reads its list from a file beside it, once.
  { of: /^domain\/identity\/common-passwords$/, may: [matchNodeParts('fs')] },
  // Formats of their own, read and written by libraries that touch nothing else.
  {
    of: /^domain\/provenance\//,
    may: [DOMAIN, matchNodeParts('crypto'), /^(jose|n3|accepts|ecdsa-sig-formatter)$/],
    types: [matchNodeParts('http')],
  },
  {
    of: /^domain\/identity\/passkeys\//,
    may: [DOMAIN, matchNodeParts('crypto', 'net'), /^(cborg|@simplewebauthn\/server)$/],
  },
  {
    of: /^domain\/log\/time-stamps\//,
    may: [DOMAIN, matchNodeParts('crypto'), /^(pkijs|asn1js)$/],
  },
  {
    of: /^domain\//,
    may: [
      DOMAIN,
      matchNodeParts('crypto', 'net', 'url'),
      LRU,
      /^(ipaddr\.js|tldts)$/,
      /^(csv-stringify\/sync|ical-generator|standardwebhooks|cborg)$/,
    ],
  },
  {
    of: /^http\//,
    may: [
      HTTP,
      ERRORS,
      INPUTS,
      DOMAIN,
      ZOD,
      NODE,
      CONCURRENCY,
      SLOTS,
      /^identity\/.*\.service$/,
      /^(express|lru-cache|compression|cookie|cors|helmet|swagger-ui-dist(\/absolute-path\.js)?)$/,
    ],
    types: [/^config\/config$/, PLATFORM],
  },
  // The interface of what the composition creates names the chains and the models.
  {
    of: /^platform\/platform$/,
    may: [],
    types: [PLATFORM, DOMAIN, LEDGER, MONGOOSE, /^(config\/config|models)$/],
  },
  {
    of: /^platform\//,
    may: [
      PLATFORM,
      DOMAIN,
      ERRORS,
      NODE,
      MONGOOSE,
      LRU,
      /^(@node-rs\/argon2|jsonwebtoken|pino|prom-client|zod|nodemailer|eta|otplib|qrcode)$/,
      /^(undici|ipaddr\.js|jose|openid-client|stripe|tar-stream|fontkit)$/,
      /^@modelcontextprotocol\/server$/,
    ],
    types: [/^config\/config$/, /^express$/, /^@aws-sdk\/client-kms$/],
  },
  {
    of: WORKERS,
    may: [WORKERS, PLATFORM, LRU, matchNodeParts('cluster'), /^prom-client$/],
    types: [matchNodeParts('http', 'net')],
  },
  // An engine imports nothing of the service.
  { of: /^packages\/embedded-mongod\//, may: [NODE, MONGOOSE] },
  {
    of: /^packages\/verifier\//,
    may: [matchNodeParts('buffer', 'crypto', 'fs', 'stream', 'util', 'zlib'), /^(asn1js|pkijs)$/],
  },
  { of: /^packages\/tlog\//, may: [matchNodeParts('crypto'), /^cborg$/] },
  { of: /^packages\/json\//, may: [] },
  { of: /^packages\/patterns\//, may: [LRU, /^re2js$/] },
  {
    of: /^packages\/scrub\//,
    may: [
      LRU,
      matchNodeParts('net'),
      /^@assay\/(json|patterns)$/,
      /^(re2js|ibantools|libphonenumber-js|stdnum)$/,
    ],
  },
  {
    of: /^packages\/policy\//,
    may: [LRU, matchNodeParts('crypto'), /^@assay\/(json|patterns)$/],
  },
  {
    of: /^packages\/otlp-decisions\//,
    may: [/^@assay\/json$/, /^protobufjs\/light\.js$/],
  },
  { of: /^packages\/scim\//, may: [/^@assay\/json$/] },
  { of: /^packages\/saml\//, may: [matchNodeParts('crypto', 'zlib'), /^(saxes|xml-crypto)$/] },
  // A thread has a connection of its own.
  {
    of: /^ledger\/verify\/verification-thread$/,
    may: [LEDGER, DOMAIN, /^platform\/threads\/(answer-requests|thread-database)$/],
  },
  // What it cannot read itself it leaves to the driver.
  {
    of: /^ledger\/bson-reader$/,
    may: [MONGOOSE, matchNodeParts('buffer')],
    types: [/^ledger\/entry$/],
  },
  // What is locked comes as the driver reads it, and needs nonces.
  {
    of: /^ledger\/contents\//,
    may: [
      LEDGER,
      DOMAIN,
      MONGOOSE,
      EVENT_LOOP,
      CONCERNS,
      /^platform\/ids$/,
      matchNodeParts('crypto'),
    ],
    types: [PLATFORM],
  },
  // Searches read it, as any query.
  {
    of: /^ledger\/follow\/segment-index$/,
    may: [LEDGER, ERRORS, CONCURRENCY, /^platform\/mongo\/queries$/],
    types: [MONGOOSE],
  },
  {
    of: /^ledger\/(?!.*\.model$)/,
    may: [
      LEDGER,
      DOMAIN,
      ERRORS,
      CONCERNS,
      CONCURRENCY,
      LRU,
      matchNodeParts('events', 'stream', 'util', 'crypto'),
    ],
    types: [PLATFORM, MONGOOSE, /^models$/],
  },
  { of: /^ledger\/.*\.model$/, may: [LEDGER, DOMAIN, PLATFORM, MONGOOSE] },
  // A worker opens a thread, which has a connection and models of its own.
  {
    of: matchInWings('.*-worker$'),
    may: [
      OWN,
      DOMAIN,
      ERRORS,
      /^platform\/(concurrency\/keyed-mutex|embedding\/(remote|word)-embedder)$/,
    ],
    types: [PLATFORM, /^config\/config$/],
  },
  {
    of: /^(decisions\/traces\/memory\/memory|policies\/replay\/replay)-thread$/,
    may: [
      OWN,
      /^models$/,
      /^ledger\/contents\/contents$/,
      PLATFORM,
      matchNodeParts('timers/promises'),
    ],
  },
  // It checks a body by the route's schema, as the pipeline does.
  {
    of: /^decisions\/traces\/ingestion\/ingestion-thread$/,
    may: [OWN, /^http\/checks\/parse-body$/, INPUTS, ANSWER_REQUESTS],
  },
  // Exports of spans are decoded by a library, in a thread where they are large; so is what an authority signed.
  {
    of: /^(decisions\/otlp\/(otlp-thread|export-reader)|evidence\/log\/stamps\/stamp-thread)$/,
    may: [OWN, DOMAIN, ERRORS, ANSWER_REQUESTS],
  },
  { of: /^evidence\/hash-chain\/verification-thread$/, may: [LEDGER, /^other\.columns$/] },
  {
    of: matchInWings('.*\\.routes$'),
    may: [
      /^http\/declaration\/(define-route|oauth-forms|rate-limits|sign-in|console-cookie|views|paging|optional)$/,
      /^(own\.schemas|(own|other)\.service)$/,
      DOMAIN,
      ERRORS,
      ZOD,
    ],
    types: [OWN],
  },
  // A trial takes the settings of a sign-on as they would be saved.
  {
    of: /^identity\/sign-on\/trials\/sso-trials\.schemas$/,
    may: [ZOD, /^http\/declaration\/(views|optional|schema-names)$/, /^other\.schemas$/],
  },
  {
    of: matchInWings('.*\\.schemas$'),
    may: [
      ZOD,
      /^http\/declaration\/(views|paging|signed-input|optional|schema-names|grant-terms)$/,
      DOMAIN,
      /^own\.(model|schemas)$/,
    ],
  },
  {
    of: matchInWings('.*\\.model$'),
    may: [MONGOOSE, DOMAIN, LEDGER, /^platform\/mongo\/(collection|tenancy)$/, /^own\.columns$/],
  },
  {
    of: matchInWings(''),
    may: [
      OWN,
      /^other\.service$/,
      /^(identity|events)\/upper-rooms$/,
      LEDGER,
      DOMAIN,
      ERRORS,
      INPUTS,
      LRU,
      /^platform\/mongo\/(queries|concerns)$/,
      CONCURRENCY,
      SLOTS,
      /^platform\/(outbound\/(identity-providers|payment-processor|workload-tokens)|saml\/saml-reader-worker)$/,
      /^platform\/signer\/(key-source|kms-note-key)$/,
      /^platform\/(archive\/tar-gz|mail\/mail-layout|mcp\/mcp-endpoint|outbox\/delivery-failure|per-instance|threads\/failures)$/,
      matchNodeParts('crypto'),
    ],
    types: [/^models$/, PLATFORM, MONGOOSE, ZOD, NODE, /^other\.model$/],
  },
];

/** What an engine imports of itself. */
const INSIDE = 'inside';

const toName = (path: string): string => path.replace(/^src\//, '').replace(/\.ts$/, '');

/** `own.service`, `other.model`: how one resource's file sees another's. */
function describeRelation(file: string, target: string): string {
  const kind = /\.(\w+)$/.exec(basename(target))?.[1] ?? 'part';
  return `${toRoom(file) === toRoom(target) ? 'own' : 'other'}.${kind}`;
}

function parseImport(file: string, { name: specifier, node }: NamedModule): Import {
  const clause = ts.isImportDeclaration(node) ? node.importClause : undefined;
  const bindings = clause?.namedBindings;
  const typeOnly = ts.isExportDeclaration(node)
    ? node.isTypeOnly
    : clause?.phaseModifier === ts.SyntaxKind.TypeKeyword ||
      (clause !== undefined &&
        !clause.name &&
        bindings !== undefined &&
        ts.isNamedImports(bindings) &&
        bindings.elements.every((element) => element.isTypeOnly));
  if (!specifier.startsWith('.')) return { what: specifier, typeOnly };
  const target = join(dirname(file), specifier.replace(/\.ts$/, ''));
  if (toEngine(file) !== undefined && toEngine(file) === toEngine(target))
    return { what: INSIDE, typeOnly };
  const ofRooms = toRoom(file) !== undefined && toRoom(target) !== undefined;
  return { what: ofRooms ? describeRelation(file, target) : toName(target), typeOnly };
}

const listImports = (file: string): Import[] =>
  listModules(file).map((module) => parseImport(file, module));

function listForbidden(file: string): string[] {
  const rule = RULES.find(({ of }) => of.test(toName(file)));
  if (!rule) return ['no rule for this place'];
  const { may, types = [] } = rule;
  return listImports(file)
    .filter(
      ({ what, typeOnly }) =>
        what !== INSIDE &&
        ![...may, ...(typeOnly ? types : [])].some((pattern) => pattern.test(what)),
    )
    .map(({ what, typeOnly }) => (typeOnly ? `type ${what}` : what));
}

test('every import is one that the place of its file allows', () => {
  const found = sources.flatMap((file) => listForbidden(file).map((what) => `${file}: ${what}`));
  expect(found).toEqual([]);
});

/** Its declarations, which are published, carry those of the verifier. */
const BY_PATH = 'packages/sdk-typescript/src/verify.ts';

test('an engine is imported by its name, and what is inside of it by none', () => {
  expect(ofEngines.length).toBeGreaterThan(10);
  const importing = files.filter(
    (file) => /\.tsx?$/.test(file) && !/^(docs|integrations)\//.test(file) && file !== BY_PATH,
  );
  const found = importing.flatMap((file) =>
    listModules(file)
      .filter(({ name }) => name.startsWith('.'))
      .map(({ name }) => join(dirname(file), name))
      .filter((target) => toEngine(target) !== undefined && toEngine(target) !== toEngine(file))
      .map((target) => `${file}: ${target}`),
  );
  expect(found).toEqual([]);
});

test('every rule holds for some file', () => {
  const held = new Set(sources.map((file) => RULES.find(({ of }) => of.test(toName(file)))));
  expect(RULES.filter((rule) => !held.has(rule))).toEqual([]);
});
