// A pattern that finds a text literally, ignoring case.

export function toLiteralPattern(text: string): RegExp {
  return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'i');
}
