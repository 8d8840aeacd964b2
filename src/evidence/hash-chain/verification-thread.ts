// The worker thread of verification: verifies the ledger with the columns of each chain.
import { AUDIT, DECISIONS } from '../../ledger/chains.ts';
import { serveVerification } from '../../ledger/verify/verification-thread.ts';
import { auditColumns } from '../../identity/audit/audit.columns.ts';
import { traceColumns } from '../../decisions/traces/traces.columns.ts';

await serveVerification({
  [DECISIONS.collection]: traceColumns,
  [AUDIT.collection]: auditColumns,
});
