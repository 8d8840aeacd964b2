// The modules that the package exports.
export const ENTRIES = ['index', 'journal', 'webhooks'];
