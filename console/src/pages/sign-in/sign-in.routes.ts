// The pages before a session: sign in, register, what mails lead to, and the return from a provider.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-routes.tsx';
import { createSearch, readChoice, readText } from '../../app/search.ts';

const open = { getParentRoute: () => rootRoute } as const;

export const signInRoute = createRoute({
  ...open,
  path: '/sign-in',
  validateSearch: createSearch({ next: readText, ended: readChoice(['1']) }),
  component: lazyRouteComponent(() => import('./sign-in-page.tsx'), 'SignInPage'),
});
export const registerRoute = createRoute({
  ...open,
  path: '/register',
  component: lazyRouteComponent(() => import('./register-page.tsx'), 'RegisterPage'),
});
export const completeSignupRoute = createRoute({
  ...open,
  path: '/complete-signup',
  component: lazyRouteComponent(() => import('./register-page.tsx'), 'CompleteSignupPage'),
});
export const forgottenRoute = createRoute({
  ...open,
  path: '/forgot-password',
  component: lazyRouteComponent(() => import('./mail-pages.tsx'), 'ForgotPasswordPage'),
});
export const resetRoute = createRoute({
  ...open,
  path: '/reset-password',
  component: lazyRouteComponent(() => import('./mail-pages.tsx'), 'ResetPasswordPage'),
});
export const magicLinkRoute = createRoute({
  ...open,
  path: '/magic-link',
  component: lazyRouteComponent(() => import('./mail-pages.tsx'), 'MagicLinkPage'),
});
export const invitationRoute = createRoute({
  ...open,
  path: '/accept-invite',
  component: lazyRouteComponent(() => import('./invitation-page.tsx'), 'InvitationPage'),
});
export const signedOnRoute = createRoute({
  ...open,
  path: '/signed-on',
  validateSearch: createSearch({
    error: readText,
    ssoMfa: readText,
    ssoTest: readText,
    next: readText,
  }),
  component: lazyRouteComponent(() => import('./signed-on-page.tsx'), 'SignedOnPage'),
});

export const signInRoutes = [
  signInRoute,
  registerRoute,
  completeSignupRoute,
  forgottenRoute,
  resetRoute,
  magicLinkRoute,
  invitationRoute,
  signedOnRoute,
] as const;
