// Templates: policies that work as they stand, opened in the editor before anything is saved.
import { Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { TextLink } from '../../../parts/links.tsx';
import { QueryView } from '../../../parts/states.tsx';
import { templatesQuery, type Policy } from '../policy-queries.ts';
import { findStrongest } from '../policy-words.ts';
import { PolicyAction } from './policy-action.tsx';

export function Templates({ policies }: { policies: readonly Policy[] }): ReactNode {
  const templates = useQuery(templatesQuery);
  const names = new Set(policies.map(({ name }) => name));
  return (
    <Stack gap="xs" component="section" aria-label="Templates">
      <Title order={2}>Templates</Title>
      <QueryView query={templates}>
        {(found) => (
          <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="sm">
            {found
              .filter(({ name }) => !names.has(name))
              .map(({ id, name, description, actions }) => (
                <Paper key={id} p="sm">
                  <TextLink
                    to="/policies/$policyId"
                    params={{ policyId: 'new' }}
                    search={{ template: id }}
                    fw={600}
                    size="sm"
                  >
                    {name}
                  </TextLink>
                  <Text size="sm" c="dimmed" mb={4} lineClamp={3}>
                    {description}
                  </Text>
                  <PolicyAction {...findStrongest(actions)} />
                </Paper>
              ))}
          </SimpleGrid>
        )}
      </QueryView>
    </Stack>
  );
}
