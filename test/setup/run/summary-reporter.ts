// Ends the output of a test run with one plain line that a person or a script can read.
import type { Reporter, TestModule, TestRunEndReason } from 'vitest/node';

/** A file that cannot be loaded, or a fault outside of any test, counts as one failure. */
export class SummaryReporter implements Reporter {
  onTestRunEnd(
    modules: readonly TestModule[],
    faults: readonly unknown[],
    reason: TestRunEndReason,
  ): void {
    const states = modules.flatMap((module) =>
      [...module.children.allTests()].map((test) => test.result().state),
    );
    const passed = states.filter((state) => state === 'passed').length;
    const broken = modules.reduce((count, module) => count + module.errors().length, faults.length);
    const failed = states.filter((state) => state === 'failed').length + broken;
    // Last of all, whatever others still print.
    process.once('exit', () => {
      process.stdout.write(
        `${passed} passed, ${Math.max(failed, reason === 'passed' ? 0 : 1)} failed\n`,
      );
    });
  }
}
