// The account with the installation: what an organisation uses, and what it pays.
import { createMeterService } from '../resources/usage/meter.service.ts';
import { createUsageService } from '../resources/usage/usage.service.ts';
import type { Platform } from './platform.ts';

export function createBilling(platform: Platform) {
  const meter = createMeterService(platform);
  const usage = createUsageService({ ...platform, meter });
  return { usage };
}
