// Provenance settings (document 3, section 4.6).
import { MANAGERS, ROLES } from '../../../domain/identity/roles.ts';
import { route } from '../../../http/declaration/define-route.ts';
import { provenanceSettingsInput, provenanceSettingsView } from './provenance-settings.schemas.ts';
import { findReadyKey } from '../../c2pa-kms/signer.service.ts';
import { loadSettings, replaceSettings } from './provenance-settings.service.ts';

export const provenanceSettingsRoutes = [
  route({
    method: 'get',
    path: '/settings',
    summary: 'Who signs, with which public key, and the default assertions',
    auth: 'reader',
    roles: ROLES,
    agentScope: 'irrelevant',
    data: provenanceSettingsView,
    handler: ({ ctx }) => loadSettings(ctx),
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
    prepare: ({ ctx }) => findReadyKey(ctx.platform),
    audit: { action: 'provenance.settings.update', resource: 'provenanceSettings' },
    handler: ({ ctx, body }) => replaceSettings(ctx, body.defaultAssertions),
  }),
];
