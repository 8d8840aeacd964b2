// Starts the page that verifies offline. It needs no session, makes no request, and works from a saved copy.
import '../app/library.css';
import './more-library.css';
import '../app/styles.css';
import { MantineProvider } from '@mantine/core';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { nonce } from '../app/nonce.ts';
import { resolveVariables, theme } from '../app/theme.ts';
import { VerifyPage } from './verify-page.tsx';

const root = document.getElementById('root');
if (root)
  createRoot(root).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        defaultColorScheme="auto"
        cssVariablesResolver={resolveVariables}
        getStyleNonce={() => nonce}
      >
        <VerifyPage />
      </MantineProvider>
    </StrictMode>,
  );
