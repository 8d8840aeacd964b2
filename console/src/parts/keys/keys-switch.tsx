// Switches single keys off, as people need who speak to their computer, or touch keys by chance.
import { Switch } from '@mantine/core';
import type { ReactNode } from 'react';
import { switchSingleKeys, useSingleKeysOn } from './single-keys.ts';

export function KeysSwitch(): ReactNode {
  const isOn = useSingleKeysOn();
  return (
    <Switch
      label="Single keys"
      description="Off: only buttons, and keys with Ctrl or Command, do something in this browser."
      checked={isOn}
      onChange={({ currentTarget }) => switchSingleKeys(currentTarget.checked)}
    />
  );
}
