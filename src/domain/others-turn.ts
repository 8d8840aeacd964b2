// Work in parts: between two of them the event loop serves whoever else waits.

export function othersTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
