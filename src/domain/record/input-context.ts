// What a decision answers: the prompt, or what began it where no one asked.
import type { Json, JsonObject } from '@assay/json';

/** The prompt, else the trigger; null: neither is kept. */
export function readOccasion(inputContext: Json | undefined): Json {
  if (typeof inputContext !== 'object' || inputContext === null || Array.isArray(inputContext))
    return null;
  return inputContext['prompt'] ?? inputContext['trigger'] ?? null;
}

/** Whether something began a decision that has no prompt: a text, or an object with members. */
export function isTrigger(value: unknown): value is string | JsonObject {
  if (typeof value === 'string') return value.trim() !== '';
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.keys(value).length > 0;
}
