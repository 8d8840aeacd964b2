// People and automation: how far reviewers agree, which patterns mature, and what the service could approve by itself.
import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Page } from '../../parts/page.tsx';
import { Agreement } from './agreement.tsx';
import { Automation } from './automation.tsx';
import { Corrections } from './corrections.tsx';

export function OversightPage(): ReactNode {
  return (
    <Page
      title="Oversight"
      lead="How far people agree with the verdicts and with each other, and what they could leave to the service."
    >
      <Stack gap="md">
        <Automation />
        <Agreement />
        <Corrections />
      </Stack>
    </Page>
  );
}
