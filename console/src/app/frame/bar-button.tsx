// A button of the bar with its command key; on a narrow screen its icon alone.
import { ActionIcon, Button, Kbd } from '@mantine/core';
import { useOs } from '@mantine/hooks';
import type { ComponentProps, ReactNode } from 'react';
import { Icon } from '../../parts/icons.tsx';
import { useCommandKey } from '../../parts/keys/single-keys.ts';

interface Props {
  label: string;
  icon: ComponentProps<typeof Icon>['name'];
  /** Pressed with Ctrl or Command. */
  commandKey: string;
  onPress: () => void;
  isDangerous?: boolean;
  /** Whether it begins the right end of the bar. */
  isFirst?: boolean;
}

export function BarButton(props: Props): ReactNode {
  const { label, icon, commandKey, onPress, isDangerous = false, isFirst = false } = props;
  const os = useOs();
  const isApple = os === 'macos' || os === 'ios';
  useCommandKey(commandKey, onPress);
  const sign = commandKey.toUpperCase();
  const place = isFirst ? { ml: 'auto' } : {};
  return (
    <>
      <Button
        variant="default"
        size="xs"
        {...place}
        visibleFrom="sm"
        {...(isDangerous && { c: 'var(--assay-blocked)' })}
        onClick={onPress}
        leftSection={<Icon name={icon} size={14} />}
        rightSection={<Kbd size="xs">{isApple ? `⌘${sign}` : `Ctrl ${sign}`}</Kbd>}
      >
        {label}
      </Button>
      <ActionIcon
        variant="subtle"
        color={isDangerous ? 'red' : 'gray'}
        size="lg"
        {...place}
        hiddenFrom="sm"
        aria-label={label}
        onClick={onPress}
      >
        <Icon name={icon} size={18} />
      </ActionIcon>
    </>
  );
}
