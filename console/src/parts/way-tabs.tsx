// The ways by which decisions arrive, each with an example to copy.
import { Stack, Tabs, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './layout/tabs.module.css';
import { type SnippetFor, type Way, WAYS } from './snippets.ts';
import { Snippet } from './text.tsx';

interface Props {
  target: SnippetFor;
  /** Further ways are left out. */
  ways?: readonly Way['id'][];
  /** Shown beside the name of a way, such as that a decision came by it. */
  marks?: Partial<Record<Way['id'], ReactNode>>;
}

export function WayTabs({ target, ways, marks = {} }: Props): ReactNode {
  const shown = WAYS.filter(({ id }) => ways?.includes(id) ?? true);
  return (
    <Tabs
      unstyled
      defaultValue={shown[0]?.id ?? null}
      keepMounted={false}
      classNames={{ list: classes.tabs ?? '', tab: classes.tab ?? '' }}
    >
      <Tabs.List>
        {shown.map(({ id, label }) => (
          <Tabs.Tab key={id} value={id} rightSection={marks[id]}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {shown.map(({ id, label, lead, write }) => (
        <Tabs.Panel key={id} value={id} pt="xs">
          <Stack gap="xs">
            <Text size="sm" c="dimmed">
              {lead}
            </Text>
            {write(target).map(({ place, code }, index) => (
              <Stack key={place} gap={4}>
                <Text size="sm">{place}</Text>
                <Snippet code={code} label={`${label} example, step ${index + 1}`} />
              </Stack>
            ))}
          </Stack>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
