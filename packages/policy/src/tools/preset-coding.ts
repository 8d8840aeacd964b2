// Tools of coding agents, by the names under which their hooks ask; words that tools of any server may have are left out.
import type { PresetTools } from './preset-tools.ts';
import { EFFECTS } from './tool-words.ts';

/** Commands that only look, without quotes, pipes or options that write: what else a shell does is not listed. */
const LOOKS =
  '^(?:ls|pwd|cat|head|tail|wc|stat|grep|git (?:status|log|diff|show))(?: +(?:-[A-Za-z0-9]+|[A-Za-z0-9_./~@:^][A-Za-z0-9_./~@:^-]*))*$';
/** Names of files that usually hold secrets. */
const SECRETS =
  '(?i)(?:^|[/ =:])(?:\\.env|\\.netrc|\\.npmrc|\\.pypirc|\\.ssh|\\.aws|\\.kube|id_(?:rsa|ed25519)|credentials)';

/** What a repository holds is private; what it was given by others may say anything. */
const READ = { does: [], gives: ['private', 'untrusted'] } as const;
const SECRET = { does: [], gives: ['secret'] } as const;

export const CODING_TOOLS: PresetTools = [
  ['shell', { ...READ, match: { 'arguments.command': LOOKS } }],
  // Whatever else such a command does: it may do anything with them.
  ['shell', { does: EFFECTS, gives: ['secret'], match: { 'arguments.command': SECRETS } }],
  [
    'Read NotebookRead Glob Grep LS BashOutput read_file read_many_files list_directory search_file_content grep_search list_dir file_search semantic_search view view_image',
    READ,
  ],
  ['Read read_file', { ...SECRET, match: { 'arguments.file_path': SECRETS } }],
  ['Read read_file', { ...SECRET, match: { 'arguments.filePath': SECRETS } }],
  ['view', { ...SECRET, match: { 'arguments.path': SECRETS } }],
  [
    'Edit MultiEdit Write NotebookEdit apply_patch write_file create_file insert_edit_into_file replace_string_in_file',
    { does: ['write'], gives: [] },
  ],
  // An address or a query can carry data away.
  [
    'WebFetch fetch_webpage webfetch WebSearch google_web_search',
    { does: ['fetch', 'outbound'], gives: ['untrusted'] },
  ],
  ['TodoWrite TodoRead todowrite todoread write_todos update_plan', { does: [], gives: [] }],
];
