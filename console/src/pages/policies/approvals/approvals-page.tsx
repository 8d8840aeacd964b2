// Changes of policies, lists and tools that were proposed, those that wait first.
import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { membersQuery } from '../../../api/shared-queries.ts';
import { ButtonLink } from '../../../parts/links.tsx';
import { DataTable } from '../../../parts/lists/data-table.tsx';
import { RowLink } from '../../../parts/lists/row-link.tsx';
import { Page } from '../../../parts/page.tsx';
import { Empty, QueryView } from '../../../parts/states.tsx';
import { markInvisible } from '../../../parts/text.tsx';
import { Ago } from '../../../parts/time.tsx';
import { APPROVAL_STATES } from '../policies.route.ts';
import { type Approval, createApprovalsQuery, readSubject } from '../policy-queries.ts';
import { APPROVAL_LOOKS } from '../policy-words.ts';
import { ApprovalSign } from './approval-sign.tsx';

const route = getRouteApi('/session/policies/approvals');
type State = (typeof APPROVAL_STATES)[number];

/** A change of a policy that there is goes without saying. */
function describeKind({ list, tools, policyId }: Approval): string {
  if (tools) return ' (tools)';
  if (list) return list.after ? ' (list)' : ' (list, removed)';
  return policyId === null ? ' (new)' : '';
}

export function ApprovalsPage(): ReactNode {
  const { state } = route.useSearch();
  const navigate = route.useNavigate();
  const approvals = useQuery(createApprovalsQuery(state));
  const { data: members = [] } = useQuery(membersQuery);
  return (
    <Page
      title="Approvals"
      lead="A change of a policy, a list or tools is proposed, reviewed and enforced by three different people."
      actions={
        <ButtonLink to="/policies" variant="default" size="xs">
          All policies
        </ButtonLink>
      }
    >
      <Select
        label="State"
        placeholder="All"
        clearable
        data={APPROVAL_STATES.map((value) => ({ value, label: APPROVAL_LOOKS[value].word }))}
        value={state ?? null}
        onChange={(value) =>
          void navigate({ search: value ? { state: value as State } : {}, replace: true })
        }
        maw={260}
      />
      <QueryView query={approvals}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty icon="policies" title="No changes are proposed">
              “Propose it” below a rule or a list sends it here instead of saving it.
            </Empty>
          ) : (
            <DataTable
              label="Proposed changes"
              rows={data}
              toKey={({ id }) => id}
              columns={[
                {
                  title: 'Change',
                  cell: (approval) => (
                    <>
                      <RowLink
                        to="/policies/approvals/$approvalId"
                        params={{ approvalId: approval.id }}
                      >
                        {markInvisible(readSubject(approval))}
                      </RowLink>
                      {describeKind(approval)}
                    </>
                  ),
                },
                { title: 'State', cell: ({ state: now }) => <ApprovalSign state={now} /> },
                {
                  title: 'By',
                  cell: ({ author }) =>
                    members.find(({ userId }) => userId === author)?.name ?? '—',
                },
                { title: 'Changed', isEnd: true, cell: ({ updatedAt }) => <Ago at={updatedAt} /> },
              ]}
            />
          )
        }
      </QueryView>
    </Page>
  );
}
