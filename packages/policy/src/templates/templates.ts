// The library of policy templates (document 2, section 4.2): each works as it is and can be adapted.
import type { Action, Condition } from '../definition.ts';
import { actionTemplates } from './template-actions.ts';
import { contentTemplates } from './template-contents.ts';
import { sessionTemplates } from './template-sessions.ts';

export const templateCategories = [
  'money',
  'actions',
  'privacy',
  'security',
  'quality',
  'oversight',
] as const;
export type TemplateCategory = (typeof templateCategories)[number];

/** A prebuilt policy. Ids are stable. */
export interface PolicyTemplate {
  id: string;
  name: string;
  /** Says its effect and the parts to adapt; at most 500 characters, since a policy takes it over. */
  description: string;
  category: TemplateCategory;
  conditions: Condition[];
  actions: Action[];
}

/** All templates, in listing order. */
export const policyTemplates: readonly PolicyTemplate[] = [
  ...actionTemplates,
  ...contentTemplates,
  ...sessionTemplates,
];

/** The template with this id. */
export function findTemplate(id: string): PolicyTemplate | undefined {
  return policyTemplates.find((template) => template.id === id);
}
