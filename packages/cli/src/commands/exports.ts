// `assay export` and `assay audit-bundle`: files for an auditor.
import type { Command } from 'commander';
import type { Io } from '../io.ts';
import { AUDIT_BUNDLE, CHAIN_BUNDLE, downloadBundle } from '../download.ts';
import { connectPerson, openSession } from '../session.ts';

interface BundleOptions {
  output: string;
  from?: string;
  to?: string;
  disclose?: string[];
}

export function addExportCommands(program: Command, io: Io): void {
  program
    .command('export')
    .description('save the chain as a bundle')
    .option('-o, --output <file>', 'file to write', 'assay-bundle.ndjson')
    .action(async ({ output }: { output: string }, command: Command) => {
      const session = await openSession(io, command.optsWithGlobals());
      const { data } = await connectPerson(session).send('GET', '/api/v1/hash-chain/status');
      const target = { file: output, kind: CHAIN_BUNDLE };
      await downloadBundle(session, '/api/v1/hash-chain/export', target);
      // Kept apart from the bundle, it shows later that nothing before it was changed.
      const pin = `${String(data.lastSequence)}:${String(data.lastChainHash)}`;
      session.output.print({ file: output, pin }, () => `${output}\npin ${pin}`);
    });
  program
    .command('audit-bundle')
    .description('make and save a signed audit bundle of a period')
    .option('-o, --output <file>', 'file to write', 'assay-audit.tar.gz')
    .option('--from <time>', 'ISO 8601; default: 30 days ago')
    .option('--to <time>', 'ISO 8601; default: now')
    .option('--disclose <names...>', 'committed values to show')
    .action(async (options: BundleOptions, command: Command) => {
      const session = await openSession(io, command.optsWithGlobals());
      const from = options.from ?? new Date(Date.now() - 30 * 86_400_000).toISOString();
      const to = options.to ?? new Date().toISOString();
      const body = { from, to, disclose: options.disclose ?? [] };
      const { data } = await connectPerson(session).send('POST', '/api/v1/audit-bundles', {
        body,
        timeout: 120_000,
      });
      const path = `/api/v1/audit-bundles/${String(data._id)}/download`;
      await downloadBundle(session, path, { file: options.output, kind: AUDIT_BUNDLE });
      session.output.print({ file: options.output, bundle: data }, () => options.output);
    });
}
