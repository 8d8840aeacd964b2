// Local accounts: register, log in, who am I.
import { ROLES, type Role } from '../../domain/roles.ts';
import { reply, route } from '../../http/define-route.ts';
import { loginInput, meView, registeredView, registerInput, signedInView } from './auth.schemas.ts';

const open = { auth: 'public', limits: ['auth'], writes: 'own' } as const;
const signIn = { action: 'auth.login', resource: 'session' } as const;

export const localRoutes = [
  route({
    method: 'post',
    path: '/register',
    summary: 'Register an organisation and its owner',
    ...open,
    status: 201,
    body: registerInput,
    data: registeredView,
    codes: ['FORBIDDEN', 'CONFIG_ERROR'],
    audit: { action: 'auth.register', resource: 'organization' },
    handler: async ({ body, meta }, { local }) => {
      const made = await local.register(body, meta);
      return reply(201, made, { audit: { ...signedIn(made), resourceId: made.organizationId } });
    },
  }),
  route({
    method: 'post',
    path: '/login',
    summary: 'Sign in with a password',
    ...open,
    limits: ['auth', 'account'],
    body: loginInput,
    data: signedInView,
    codes: ['INVALID_CREDENTIALS', 'ACCOUNT_DEACTIVATED', 'CONFIG_ERROR'],
    audit: signIn,
    handler: async ({ body, meta }, { local }) => {
      const made = await local.login(body, meta);
      return reply(200, made, { audit: signedIn(made) });
    },
  }),
  route({
    method: 'get',
    path: '/me',
    summary: 'The caller and the active organisation',
    auth: 'user',
    limits: ['auth'],
    roles: ROLES,
    data: meView,
    handler: ({ tenant, user }, { local }) => local.me(tenant, user),
  }),
];

interface SignedIn {
  organizationId: string;
  role: Role;
  jti: string;
  user: { _id: { toHexString(): string }; email: string };
}

/** The audit facts of a sign-in: nobody was known before it. Its `jti` is how the session is found again. */
function signedIn({ organizationId, role, jti, user }: SignedIn) {
  return {
    organizationId,
    userId: user._id.toHexString(),
    userEmail: user.email,
    userRole: role,
    metadata: { method: 'password', jti },
  };
}
