// Provenance settings (document 3, section 4.6).
import { MANAGERS, ROLES } from '../../../domain/identity/roles.ts';
import { route } from '../../../http/declaration/define-route.ts';
import { provenanceSettingsInput, provenanceSettingsView } from './provenance-settings.schemas.ts';

export const provenanceSettingsRoutes = [
  route({
    method: 'get',
    path: '/settings',
    summary: 'Who signs, with which public key, and the default assertions',
    auth: 'reader',
    roles: ROLES,
    agentScope: 'irrelevant',
    data: provenanceSettingsView,
    handler: ({ tenant }, { provenance }) => provenance.settings.loadSettings(tenant),
  }),
  route({
    method: 'put',
    path: '/settings',
    summary: 'Replace the default assertions',
    auth: 'user',
    roles: MANAGERS,
    plan: 'c2paContentCredentials',
    body: provenanceSettingsInput,
    data: provenanceSettingsView,
    // Loading the displayed key may call a key management service.
    prepare: (_input, { provenance }) => provenance.signer.findReadyKey(),
    audit: { action: 'provenance.settings.update', resource: 'provenanceSettings' },
    handler: ({ tenant, body }, { provenance }) =>
      provenance.settings.replace(tenant, body.defaultAssertions),
  }),
];
