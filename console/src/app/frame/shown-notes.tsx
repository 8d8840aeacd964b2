// The notes that are shown in the corner.
import '@mantine/notifications/styles.css';
import { Notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';

export const ShownNotes = (): ReactNode => <Notifications position="bottom-right" />;
