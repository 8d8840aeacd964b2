// The folder that holds Assay, seen from the sources and from the build alike: both lie one folder below it.
import { join } from 'node:path';

export const PROJECT_ROOT = join(import.meta.dirname, '..');
