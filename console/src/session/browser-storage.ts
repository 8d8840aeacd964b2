// What this browser keeps. One that allows no storage keeps nothing, and everything works without.

export function readKept(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** Null: it is forgotten. */
export function keepInBrowser(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch {
    // It is not kept.
  }
}
