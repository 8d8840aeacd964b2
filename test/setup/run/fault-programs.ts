// Compiles the programs of a run of fault tests: instances, which start again and again, are one file each.
import type { TestProject } from 'vitest/node';
import { setup as buildPrograms } from './built-programs.ts';

const PROGRAMS = ['test/faults/app-process.ts', 'test/faults/one-for-all/attacker.ts'];

/** An instance that is one file starts with half of the work. */
export const setup = (project: TestProject): ReturnType<typeof buildPrograms> =>
  buildPrograms(project, PROGRAMS);
