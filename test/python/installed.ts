// Installs the environment of the SDK's own tests before the run: several files use it at once.
import { createEnvironment } from './environment.ts';

export const SDK_ENVIRONMENT = 'assay-python';

export async function setup(): Promise<void> {
  await createEnvironment(SDK_ENVIRONMENT, ['test']);
}
