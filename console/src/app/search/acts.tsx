// What the search box does by itself.
import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import type { SpotlightActionData } from '@mantine/spotlight';
import { useNavigate } from '@tanstack/react-router';
import type { IconName } from '../../parts/icons.tsx';
import { Icon } from '../../parts/icons.tsx';
import { showNote } from '../../parts/forms/use-change.ts';
import { type Rights, useRights } from '../../session/session.ts';

interface Act {
  label: string;
  keywords: string;
  icon: IconName;
  isFor?: (rights: Rights) => boolean;
  run: () => void;
}

async function copyLink(): Promise<void> {
  await navigator.clipboard.writeText(location.href);
  showNote('The link of this page is copied');
}

export function useActs(onStop: () => void): SpotlightActionData[] {
  const navigate = useNavigate();
  const rights = useRights();
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme('light') === 'dark';
  const acts: readonly Act[] = [
    {
      label: 'New policy',
      keywords: 'create add rule',
      icon: 'plus',
      isFor: ({ mayManage }) => mayManage,
      run: () => void navigate({ to: '/policies/$policyId', params: { policyId: 'new' } }),
    },
    {
      label: 'Stop something',
      keywords: 'halt kill switch emergency pause agent',
      icon: 'stop',
      isFor: ({ mayDecide }) => mayDecide,
      run: onStop,
    },
    {
      label: isDark ? 'Light colours' : 'Dark colours',
      keywords: 'theme mode night colour scheme',
      icon: isDark ? 'sun' : 'moon',
      run: () => setColorScheme(isDark ? 'light' : 'dark'),
    },
    {
      label: 'Copy the link of this page',
      keywords: 'share address url',
      icon: 'copy',
      run: () => void copyLink(),
    },
  ];
  return acts
    .filter(({ isFor }) => isFor?.(rights) ?? true)
    .map(({ label, keywords, icon, run }) => ({
      id: label,
      label,
      keywords,
      leftSection: <Icon name={icon} />,
      onClick: run,
    }));
}
