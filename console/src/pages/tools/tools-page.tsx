// Tools: what a call of each does, and what its result may hold, as the organisation lists it.
import { Paper, Stack } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { PRIMARY } from '../../parts/forms/dialog-button.tsx';
import { ShowMore } from '../../parts/lists/paged-list.tsx';
import { TextFilter } from '../../parts/lists/text-filter.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, QueryView } from '../../parts/states.tsx';
import { useRights } from '../../session/session.ts';
import { ListButton } from './tool-dialog.tsx';
import { ToolPresets } from './tool-presets.tsx';
import { createToolsQuery } from './tool-queries.ts';
import { ToolTable } from './tool-table.tsx';
import { UnlistedTools } from './unlisted-tools.tsx';

const route = getRouteApi('/session/tools');

export function ToolsPage(): ReactNode {
  const { mayManage } = useRights();
  return (
    <Page
      title="Tools"
      lead="What a call of each tool does, and what its result may hold. Policies on sessions judge by it; you say it, and not the agent."
      actions={mayManage && <ListButton label="List a tool" buttonProps={PRIMARY} />}
    >
      <ListedTools />
      {mayManage && <ToolPresets />}
      <UnlistedTools />
    </Page>
  );
}

function ListedTools(): ReactNode {
  const { name } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useInfiniteQuery(createToolsQuery(name?.slice(0, 100)));
  return (
    <QueryView query={list}>
      {(tools) =>
        tools.length === 0 && name === undefined ? (
          <Empty icon="tools" title="No tools are listed yet">
            Until then each tool counts as the strictest. A preset lists common ones.
          </Empty>
        ) : (
          <Stack gap="sm">
            <Paper p="sm">
              <TextFilter
                label="Name"
                placeholder="A part of it"
                maxLength={100}
                maw={360}
                text={name}
                onText={(text) =>
                  void navigate({ search: text === '' ? {} : { name: text }, replace: true })
                }
              />
            </Paper>
            {tools.length === 0 ? (
              <Empty icon="tools" title="No tool has this in its name">
                Try other words.
              </Empty>
            ) : (
              <ToolTable tools={tools} />
            )}
            <ShowMore list={list} />
          </Stack>
        )
      }
    </QueryView>
  );
}
