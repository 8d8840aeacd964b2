// The frame of the pages before a session.
import { Anchor, Box, Container, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { TextLink } from '../../parts/links.tsx';
import { ColourSchemeSwitch } from '../../app/colour-scheme-switch.tsx';
import { Logo } from '../../app/logo.tsx';

interface Props {
  title: string;
  lead?: ReactNode;
  children: ReactNode;
  /** Below the card, such as the way to register. */
  foot?: ReactNode;
}

export function SignInFrame({ title, lead, children, foot }: Props): ReactNode {
  useDocumentTitle(`${title} · Assay`);
  return (
    <Box component="main" mih="100vh" py={{ base: 'lg', sm: '8vh' }}>
      <Container size={420}>
        <Stack gap="md">
          <Group justify="space-between">
            <Logo />
            <ColourSchemeSwitch />
          </Group>
          <Paper p="lg">
            <Stack gap="md">
              <Box>
                <Title order={1}>{title}</Title>
                {lead !== undefined && (
                  <Text size="sm" c="dimmed" mt={4}>
                    {lead}
                  </Text>
                )}
              </Box>
              {children}
            </Stack>
          </Paper>
          {foot !== undefined && (
            <Text size="sm" c="dimmed" ta="center">
              {foot}
            </Text>
          )}
          <Text size="sm" c="dimmed" ta="center">
            Here to check a bundle? <Anchor href="/verify">Verify it</Anchor> without signing in.
          </Text>
        </Stack>
      </Container>
    </Box>
  );
}

export function BackToSignIn(): ReactNode {
  return (
    <TextLink to="/sign-in" size="sm" inherit>
      Back to the sign-in
    </TextLink>
  );
}
