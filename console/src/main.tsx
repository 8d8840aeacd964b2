// Starts the console.
import './app/library.css';
import './app/styles.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Notes } from './app/frame/notes.tsx';
import { beginFirstPage } from './app/first-page.ts';
import { nonce } from './app/nonce.ts';
import { queryClient } from './app/queries.ts';
import { router } from './app/router.tsx';
import { resolveVariables, theme } from './app/theme.ts';

beginFirstPage();
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
        <QueryClientProvider client={queryClient}>
          <Notes />
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  );
