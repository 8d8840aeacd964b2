// Where the resources of SCIM are.
import type { Platform } from '../../platform/platform.ts';

export function getScimBaseUrl({ config }: Platform): string {
  return `${(config.ASSAY_PUBLIC_URL ?? '').replace(/\/$/, '')}/scim/v2`;
}
