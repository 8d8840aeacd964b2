// The files of a patch, as members of the action: a policy reaches each, however the patch is written.
import { posix } from 'node:path';
import { type Action, SHELL } from '../../../sdk-typescript/src/action-names.ts';
import { isObject, type Json } from '../../../sdk-typescript/src/json.ts';
import { CommandFailure } from '../output.ts';

const PATCH = 'apply_patch';
const BEGIN = '*** Begin Patch';
const FILE = /^\s*\*\*\* (?:(?:Add|Update|Delete) File|Move to):(.*)$/gm;
/** A shell's command that does nothing else than apply a patch. */
const COMMAND =
  /^\s*(?:cd\s+(?<folder>'[^'\n]*'|"[^"$`\n]*"|[^\s;&|<>$`'"]+)\s*&&\s*)?(?:apply_patch|applypatch)\s*<<-?\s*(['"]?)(?<end>\w+)\2\n(?<text>[\s\S]*)\n\s*\k<end>\s*$/;

/** Returns the action of a patch with its files, and any other action as it is. */
export function addPatchFiles(action: Action): Action {
  const text = findPatch(action.arguments);
  if (action.tool === PATCH) {
    const files = listFiles(text ?? '');
    if (files.length === 0) throw new CommandFailure('the patch names no file');
    return { ...action, files };
  }
  if (text === undefined) return action;
  const whole = action.tool === SHELL ? COMMAND.exec(text)?.groups : undefined;
  // What else a command does is judged as a command.
  if (!whole || text.split(`\n${whole.end}`).length > 2)
    return { ...action, files: listFiles(text) };
  const folder = (whole.folder ?? '').replace(/^['"]|['"]$/g, '');
  const files = listFiles(whole.text!).map((file) => posix.join(folder, file));
  return { ...action, tool: PATCH, files };
}

export const holdsPatch = (input: Json): boolean => findPatch(input) !== undefined;

/** Each file once, in the order of the patch. */
const listFiles = (text: string): string[] => [
  ...new Set([...text.matchAll(FILE)].map(([, file]) => file!.trim()).filter(Boolean)),
];

function findPatch(input: Json): string | undefined {
  const values = isObject(input) ? Object.values(input) : [input];
  const texts = values.flatMap((value) => (Array.isArray(value) ? value : [value]));
  return texts.find((text): text is string => typeof text === 'string' && text.includes(BEGIN));
}
