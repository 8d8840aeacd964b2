// The commands of `assay`. A module is loaded for its own commands alone, so that each starts quickly.
import type { Io } from './io.ts';
import { type Add, runCommands } from './run-commands.ts';

interface Entry {
  /** Names of the commands. */
  names: readonly string[];
  load: () => Promise<Add>;
}

/** In the order of the help. */
const COMMANDS: readonly Entry[] = [
  { names: ['dev'], load: async () => (await import('./commands/dev.ts')).addDevCommand },
  {
    names: ['login', 'logout'],
    load: async () => (await import('./commands/login.ts')).addLoginCommands,
  },
  { names: ['init'], load: async () => (await import('./commands/init.ts')).addInitCommand },
  {
    names: ['decide'],
    load: async () => (await import('./commands/decisions.ts')).addDecisionCommands,
  },
  { names: ['review'], load: async () => (await import('./commands/review.ts')).addReviewCommands },
  { names: ['tail'], load: async () => (await import('./commands/tail.ts')).addTailCommand },
  {
    names: ['halt', 'halts', 'resume'],
    load: async () => (await import('./commands/halts.ts')).addHaltCommands,
  },
  {
    names: ['budgets'],
    load: async () => (await import('./commands/budgets.ts')).addBudgetsCommand,
  },
  { names: ['agents'], load: async () => (await import('./commands/agents.ts')).addAgentCommands },
  { names: ['keys'], load: async () => (await import('./commands/keys.ts')).addKeyCommands },
  {
    names: ['policies'],
    load: async () => (await import('./commands/policies.ts')).addPolicyCommands,
  },
  { names: ['replay'], load: async () => (await import('./commands/replay.ts')).addReplayCommand },
  {
    names: ['export', 'audit-bundle'],
    load: async () => (await import('./commands/exports.ts')).addExportCommands,
  },
  {
    names: ['verify-bundle'],
    load: async () => (await import('./commands/verify.ts')).addVerifyCommand,
  },
  {
    names: ['mcp-proxy'],
    load: async () => (await import('./commands/mcp-proxy.ts')).addMcpProxyCommand,
  },
  { names: ['hook'], load: async () => (await import('./commands/hook.ts')).addHookCommand },
  { names: ['doctor'], load: async () => (await import('./commands/doctor.ts')).addDoctorCommand },
];

/** Runs a command line, without the name of the program, and returns its exit status. */
export async function main(args: readonly string[], io: Io): Promise<number> {
  const commands = await Promise.all(findEntries(args).map(({ load }) => load()));
  return runCommands(commands, args, io);
}

/** The commands that the words may mean; all of them where help is wanted, or none is named. */
function findEntries(args: readonly string[]): readonly Entry[] {
  const [first = ''] = args;
  const named = COMMANDS.filter(({ names }) => names.some((name) => args.includes(name)));
  return named.length === 0 || /^(-h|--help|help)$/.test(first) ? COMMANDS : named;
}
