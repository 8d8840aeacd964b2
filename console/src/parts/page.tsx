// The frame of a page: title, what it is for, actions, and the document's title.
import { Box, Group, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { createContext, type ReactNode, useContext } from 'react';

/** What the document's title begins with, as `(11) `: a tab in the background shows it. */
export const TitleNote = createContext('');

interface Props {
  title: string;
  /** One sentence that teaches what the page shows. */
  lead?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  /** Uses the whole width, for lists beside details. */
  isWide?: boolean;
}

export function Page({ title, lead, actions, children, isWide = false }: Props): ReactNode {
  useDocumentTitle(`${useContext(TitleNote)}${title} · Assay`);
  return (
    <Box maw={isWide ? undefined : 1180} mx="auto" w="100%">
      <Stack gap="md">
        <Group justify="space-between" align="flex-end" gap="sm">
          <Box>
            <Title order={1}>{title}</Title>
            {lead !== undefined && (
              <Text component="div" c="dimmed" size="sm" mt={2}>
                {lead}
              </Text>
            )}
          </Box>
          {actions !== undefined && <Group gap="xs">{actions}</Group>}
        </Group>
        {children}
      </Stack>
    </Box>
  );
}
