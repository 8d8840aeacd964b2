// Every version of a policy: who made it, by which approval, and what it changed.
import { Group, Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { membersQuery } from '../../../api/shared-queries.ts';
import { TextLink } from '../../../parts/links.tsx';
import { QueryView } from '../../../parts/states.tsx';
import { TextDiff } from '../../../parts/diff/text-diff.tsx';
import { Ago } from '../../../parts/time.tsx';
import { formatRule } from '../editor/rule-text.ts';
import { createRevisionsQuery, type Policy, toContents } from '../policy-queries.ts';

export function VersionsPart({ policy }: { policy: Policy }): ReactNode {
  const revisions = useQuery(createRevisionsQuery(policy.id));
  const { data: members = [] } = useQuery(membersQuery);
  const findName = (userId: string | null): string =>
    members.find((member) => member.userId === userId)?.name ?? 'a former member';
  return (
    <QueryView query={revisions}>
      {(found) => (
        <Stack gap="md">
          {found
            .toSorted((one, other) => other.revision - one.revision)
            .map((version, i, all) => {
              const before = all[i + 1];
              return (
                <Paper
                  key={version.revision}
                  p="md"
                  component="section"
                  aria-label={`Version ${version.revision}`}
                >
                  <Group justify="space-between" mb="xs">
                    <Text fw={600}>
                      Version {version.revision}
                      {version.deleted ? ', deleted' : ''}
                      {version.changedBy === null ? '' : `, by ${findName(version.changedBy)}`}
                    </Text>
                    <Group gap="sm">
                      {version.approval && (
                        <TextLink
                          to="/policies/approvals/$approvalId"
                          params={{ approvalId: version.approval.approvalId }}
                          size="sm"
                        >
                          Its approval
                        </TextLink>
                      )}
                      <Ago at={version.createdAt} />
                    </Group>
                  </Group>
                  <TextDiff
                    label={`Changes of version ${version.revision}`}
                    before={before ? formatRule(toContents(before)) : ''}
                    after={formatRule(toContents(version))}
                  />
                </Paper>
              );
            })}
        </Stack>
      )}
    </QueryView>
  );
}
