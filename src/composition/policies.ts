// Policies: their definitions, the sets that decisions are judged by, and the rule language.
import { createPolicyLanguageService } from '../resources/policies/language/language.service.ts';
import { createPolicyService } from '../resources/policies/policies.service.ts';
import { createPolicySetService } from '../resources/policies/policy-sets.service.ts';
import type { Platform } from './platform.ts';

export function createPolicies(platform: Platform) {
  const sets = createPolicySetService(platform);
  const definitions = createPolicyService({ ...platform, policySets: sets });
  const language = createPolicyLanguageService({ definitions });
  return { definitions, sets, language };
}
