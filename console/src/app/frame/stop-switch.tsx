// The button in the bar that stops something (mod+.): first that which the page is about.
import { useQueryClient } from '@tanstack/react-query';
import { useRouterState } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { createAgentQuery, createDecisionQuery } from '../../api/shared-queries.ts';
import { LazyStopDialog } from '../../parts/halts/stop-button.tsx';
import type { StopTarget } from '../../parts/halts/stop-dialog.tsx';
import { useRights } from '../../session/session.ts';
import { BarButton } from './bar-button.tsx';

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
  const findAgent = useAgentOfPage();
  const [opened, setOpened] = useState<{ target: StopTarget | null } | null>(null);
  const openDialog = (): void => setOpened((before) => before ?? { target: findAgent() });
  return (
    <>
      <BarButton label="Stop" icon="stop" commandKey="." onPress={openDialog} isDangerous />
      <LazyStopDialog
        isOpen={opened !== null}
        target={opened?.target ?? null}
        onClose={() => setOpened(null)}
      />
    </>
  );
}
