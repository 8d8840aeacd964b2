// Words of the API as people read them.

/** Begins with a capital, as `owner` in a table. */
export const toTitle = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
