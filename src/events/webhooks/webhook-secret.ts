// Binds the sealed signing secret of a webhook to its id.

/** Additional authenticated data: the secret of one webhook opens for no other. */
export const buildWebhookSecretAad = (webhookId: string): string =>
  `webhook ${webhookId} signing secret`;
