// The button in the bar that stops something (mod+.): first that which the page is about.
import { ActionIcon, Button, Kbd } from '@mantine/core';
import { useOs } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useRouterState } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { createAgentQuery, createDecisionQuery } from '../../api/shared-queries.ts';
import { LazyStopDialog } from '../../parts/halts/stop-button.tsx';
import type { StopTarget } from '../../parts/halts/stop-dialog.tsx';
import { Icon } from '../../parts/icons.tsx';
import { useCommandKey } from '../../parts/keys/single-keys.ts';
import { useRights } from '../../session/session.ts';

const AGENT_PAGE = /^\/agents\/([0-9a-f]{24})$/;
const DECISION_PAGE = /^\/decisions\/([^/]+)$/;

/** Returns what the page is about, as far as it has read it; null: no agent. */
function useAgentOfPage(): () => StopTarget | null {
  const queries = useQueryClient();
  const path = useRouterState({ select: ({ location: { pathname } }) => pathname });
  return () => {
    const [, agentId] = AGENT_PAGE.exec(path) ?? [];
    if (agentId !== undefined) {
      const agent = queries.getQueryData(createAgentQuery(agentId).queryKey);
      return { scope: 'agent', target: agentId, name: agent?.name ?? agentId };
    }
    const [, traceId] = DECISION_PAGE.exec(path) ?? [];
    const decision = traceId && queries.getQueryData(createDecisionQuery(traceId).queryKey);
    if (!decision) return null;
    const { agentId: target, agentName } = decision;
    return { scope: 'agent', target, name: agentName ?? target };
  };
}

export function StopSwitch(): ReactNode {
  const { mayDecide } = useRights();
  return mayDecide && <Switch />;
}

function Switch(): ReactNode {
  const os = useOs();
  const isApple = os === 'macos' || os === 'ios';
  const findAgent = useAgentOfPage();
  const [opened, setOpened] = useState<{ target: StopTarget | null } | null>(null);
  const openDialog = (): void => setOpened((before) => before ?? { target: findAgent() });
  useCommandKey('.', openDialog);
  return (
    <>
      <Button
        variant="default"
        size="xs"
        visibleFrom="sm"
        c="var(--assay-blocked)"
        onClick={openDialog}
        leftSection={<Icon name="stop" size={14} />}
        rightSection={<Kbd size="xs">{isApple ? '⌘.' : 'Ctrl .'}</Kbd>}
      >
        Stop
      </Button>
      <ActionIcon
        variant="subtle"
        color="red"
        size="lg"
        hiddenFrom="sm"
        aria-label="Stop"
        onClick={openDialog}
      >
        <Icon name="stop" size={18} />
      </ActionIcon>
      <LazyStopDialog
        isOpen={opened !== null}
        target={opened?.target ?? null}
        onClose={() => setOpened(null)}
      />
    </>
  );
}
