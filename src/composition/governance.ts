// What an organisation owes its regulators: impact assessments and incidents.
import { createFriaService } from '../resources/fria/fria.service.ts';
import type { Platform } from './platform.ts';

export function createGovernance(platform: Platform) {
  return { fria: createFriaService(platform) };
}
