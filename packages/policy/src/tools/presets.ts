// What common tools do, as their servers and hosts name them: a workspace takes a preset over and adapts it.
import { CODING_TOOLS } from './preset-coding.ts';
import { GITHUB_TOOLS } from './preset-github.ts';
import { makeTools, type PresetTools } from './preset-tools.ts';
import type { Tool } from './tool.ts';

/** Tools that come together. Ids are stable. */
export interface ToolPreset {
  id: string;
  name: string;
  description: string;
  /** As hosts usually name the MCP server; null: the tools are of no server. */
  server: string | null;
  tools: readonly Tool[];
}

const INSIDE = ['private'];
const OUTSIDE = ['untrusted'];
const BOTH = ['private', 'untrusted'];

const FILESYSTEM: PresetTools = [
  [
    'read_file read_text_file read_media_file read_multiple_files search_files directory_tree',
    { does: [], gives: BOTH },
  ],
  ['list_directory list_directory_with_sizes get_file_info', { does: [], gives: BOTH }],
  ['list_allowed_directories', { does: [], gives: [] }],
  [
    'write_file edit_file',
    { does: ['write'], gives: [], roles: { path: 'object', content: 'content', edits: 'content' } },
  ],
  ['create_directory', { does: ['write'], gives: [], roles: { path: 'object' } }],
  ['move_file', { does: ['write', 'delete'], gives: [], roles: { source: 'object' } }],
];

const FETCH: PresetTools = [
  // An address can carry data away: what is fetched is sent as well.
  ['fetch', { does: ['fetch', 'outbound'], gives: OUTSIDE }],
];

const WRITTEN = { does: ['write', 'outbound'], gives: [] } as const;
const SLACK: PresetTools = [
  // The reference server.
  [
    'slack_list_channels slack_get_users slack_get_user_profile',
    { does: [], gives: INSIDE, directory: true },
  ],
  ['slack_get_channel_history slack_get_thread_replies', { does: [], gives: BOTH }],
  [
    'slack_post_message slack_reply_to_thread',
    { ...WRITTEN, roles: { text: 'content', thread_ts: 'object' } },
  ],
  ['slack_add_reaction', { ...WRITTEN, roles: { reaction: 'content', timestamp: 'object' } }],
  // Its most used successor.
  ['channels_list users_search', { does: [], gives: INSIDE, directory: true }],
  [
    'conversations_history conversations_replies conversations_search_messages',
    { does: [], gives: BOTH },
  ],
  [
    'conversations_add_message',
    { ...WRITTEN, roles: { payload: 'content', text: 'content', thread_ts: 'object' } },
  ],
  ['reactions_add reactions_remove', { ...WRITTEN, roles: { timestamp: 'object' } }],
];

/** All presets, in listing order. */
export const toolPresets: readonly ToolPreset[] = [
  {
    id: 'coding-agents',
    name: 'Coding agents',
    description:
      'Tools of coding agents as the hooks name them. Of shell, commands that only look are listed; every other command stays unlisted.',
    server: null,
    tools: makeTools(CODING_TOOLS, null),
  },
  {
    id: 'mcp-filesystem',
    name: 'MCP: filesystem',
    description: 'The reference server for files. What files hold counts as private and untrusted.',
    server: 'filesystem',
    tools: makeTools(FILESYSTEM, 'filesystem'),
  },
  {
    id: 'mcp-fetch',
    name: 'MCP: fetch',
    description: 'The reference server for web pages. An address can carry data away.',
    server: 'fetch',
    tools: makeTools(FETCH, 'fetch'),
  },
  {
    id: 'mcp-github',
    name: 'MCP: GitHub',
    description:
      'The server of GitHub. Issues, comments and files are written by people outside; what is written there can be read by them.',
    server: 'github',
    tools: makeTools(GITHUB_TOOLS, 'github'),
  },
  {
    id: 'mcp-slack',
    name: 'MCP: Slack',
    description: 'The reference server of Slack, and its most used successor.',
    server: 'slack',
    tools: makeTools(SLACK, 'slack'),
  },
];

/** The preset with this id; `server`: what the server is called here. */
export function findToolPreset(id: string, server?: string | null): readonly Tool[] | undefined {
  const preset = toolPresets.find((one) => one.id === id);
  if (!preset || server === undefined) return preset?.tools;
  return preset.tools.map((tool) => ({ ...tool, server }));
}
