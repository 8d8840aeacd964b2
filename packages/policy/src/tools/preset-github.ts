// Tools of the MCP server of GitHub: present names, and those before them that are still in use.
import type { PresetTools } from './preset-tools.ts';

const READ = { does: [], gives: ['private', 'untrusted'] } as const;
/** What is written there can be read by others. */
const WRITTEN = { does: ['write', 'outbound'], gives: [] } as const;
const PLACE = { repo: 'destination', owner: 'destination' } as const;

export const GITHUB_TOOLS: PresetTools = [
  ['get_me get_teams get_team_members', { does: [], gives: ['private'], directory: true }],
  [
    'get_commit get_file_contents get_repository_tree get_latest_release get_release_by_tag get_tag list_branches list_commits list_releases list_tags',
    READ,
  ],
  ['search_code search_repositories search_users search_issues search_pull_requests', READ],
  ['issue_read list_issues list_issue_types get_label get_issue get_issue_comments', READ],
  [
    'pull_request_read list_pull_requests get_pull_request get_pull_request_files get_pull_request_diff get_pull_request_comments get_pull_request_reviews get_pull_request_status',
    READ,
  ],
  ['get_discussion get_discussion_comments list_discussions list_discussion_categories', READ],
  ['get_gist list_gists', READ],
  [
    'actions_get actions_list get_job_logs list_workflows list_workflow_runs list_workflow_run_artifacts get_workflow_run list_workflow_jobs',
    READ,
  ],
  ['list_notifications get_notification_details', READ],
  [
    'get_code_scanning_alert list_code_scanning_alerts get_dependabot_alert list_dependabot_alerts',
    READ,
  ],
  [
    'get_secret_scanning_alert list_secret_scanning_alerts',
    { does: [], gives: ['private', 'secret'] },
  ],
  [
    'issue_write create_issue update_issue',
    {
      ...WRITTEN,
      roles: { ...PLACE, issue_number: 'object', title: 'content', body: 'content' },
    },
  ],
  [
    'add_issue_comment',
    { ...WRITTEN, roles: { ...PLACE, issue_number: 'object', body: 'content' } },
  ],
  ['sub_issue_write label_write', WRITTEN],
  [
    'create_pull_request update_pull_request',
    { ...WRITTEN, roles: { ...PLACE, pullNumber: 'object', title: 'content', body: 'content' } },
  ],
  [
    'pull_request_review_write add_comment_to_pending_review create_pull_request_review',
    { ...WRITTEN, roles: { ...PLACE, pullNumber: 'object', body: 'content' } },
  ],
  [
    'create_or_update_file push_files',
    { ...WRITTEN, roles: { ...PLACE, content: 'content', files: 'content', message: 'content' } },
  ],
  ['create_branch update_pull_request_branch create_repository fork_repository', WRITTEN],
  ['create_gist update_gist', { ...WRITTEN, roles: { content: 'content', gist_id: 'object' } }],
  [
    'merge_pull_request',
    { does: ['write', 'outbound', 'execute'], gives: [], roles: { pullNumber: 'object' } },
  ],
  ['delete_file', { does: ['write', 'delete', 'outbound'], gives: [], roles: { path: 'object' } }],
  // A coding agent acts on what it is given.
  [
    'assign_copilot_to_issue request_copilot_review',
    { does: ['write', 'outbound', 'execute'], gives: [] },
  ],
  [
    'actions_run_trigger run_workflow rerun_workflow_run rerun_failed_jobs',
    { does: ['write', 'outbound', 'execute'], gives: [] },
  ],
];
